"""Small pictures as SVG, drawn by attributes alone: the page's policy forbids inline styles."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from runs.queries import Line

register = template.Library()

_WIDTH, _HEIGHT, _GAP = 152.0, 10, 3.0
RING = 100.0


@register.simple_tag
def mini_stepper(line: Line) -> SafeString | str:
    """A mark a step: filled only as far as measured, a diamond where it is in doubt."""
    total = len(line.plan.steps)
    if not total or line.place is None:
        return ""
    gap = _GAP if total <= 16 else 1.5
    width = (_WIDTH - gap * (total - 1)) / total
    marks = [_mark(line, number, number * (width + gap), width) for number in range(total)]
    return format_html(
        '<svg class="mini" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">{}</svg>',
        int(_WIDTH),
        _HEIGHT,
        int(_WIDTH),
        _HEIGHT,
        line.progress_text,
        format_html_join("", "{}", ((m,) for m in marks)),
    )


def _mark(line: Line, number: int, x: float, width: float) -> SafeString:
    place = line.place or 0
    if number < place:
        return _bar("full", x, width)
    if number > place or (line.is_finished and line.word.key == "cancelled"):
        return _bar("open", x, width)
    if line.word.key == "in_doubt":
        middle = x + width / 2
        return format_html('<path class="doubt" d="M{} 0 l5 5 l-5 5 l-5 -5 z"></path>', f"{middle:.1f}")
    share = line.item_share
    part = _bar("part", x + 1, max(0.0, (width - 2) * share)) if share else SafeString("")
    return format_html("{}{}", part, _bar(f"here {line.tone}", x, width))


@lru_cache(maxsize=4096)
def _bar(kind: str, x: float, width: float) -> SafeString:
    """A list draws hundreds of these, and few that differ."""
    inset = 0.75 if kind != "full" and kind != "part" else 0
    return format_html(
        '<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="{}"></rect>',
        kind,
        f"{x + inset:.2f}",
        2 + inset,
        f"{max(0.0, width - 2 * inset):.2f}",
        6 - 2 * inset,
        min(3, width / 2),
    )


@register.simple_tag
def ring(line: Line) -> SafeString:
    """The lease as a ring against its TTL: full when just renewed. The page's clock turns it on."""
    ttl = line.row["ttl_seconds"] or 30.0
    expires = line.row["lease_expires_at"]
    left = max(0.0, (expires - line.row["now"]).total_seconds()) if expires else 0.0
    share = min(1.0, left / ttl)
    return format_html(
        '<svg class="ring" viewBox="0 0 84 84" width="84" height="84" aria-hidden="true" '
        'data-ring="{}" data-ttl="{}">'
        '<circle class="track" cx="42" cy="42" r="37" pathLength="100"></circle>'
        '<circle class="left" cx="42" cy="42" r="37" pathLength="100" transform="rotate(-90 42 42)" '
        'stroke-dasharray="{} {}"></circle></svg>',
        f"{expires.timestamp():.3f}" if expires else "",
        ttl,
        f"{share * RING:.1f}",
        RING,
    )


@register.simple_tag
def renewals(line: Line) -> SafeString | str:
    """The worker's last twenty renewals in seconds apart, under the TTL, with the heartbeat as a line."""
    beats = [float(b) for b in line.row["beats"] or [] if b is not None][-20:]
    if not beats:
        return ""
    ttl, beat = line.row["ttl_seconds"] or 30.0, line.row["heartbeat_seconds"] or 10.0
    top = max(ttl, *beats) * 1.04
    bars = [_beat(number, value, beat, ttl, top) for number, value in enumerate(beats)]
    label = (
        f"Last {len(beats)} renewals: longest {max(beats):.1f} s apart, heartbeat {beat:g} s, TTL {ttl:g} s"
    )
    ttl_y, beat_y = 60 - 60 * ttl / top, 60 - 60 * beat / top
    return format_html(
        '<svg class="beats" viewBox="0 0 300 62" role="img" aria-label="{}">{}'
        '<line class="beat" x1="0" x2="300" y1="{}" y2="{}"></line>'
        '<line class="ttl" x1="0" x2="300" y1="{}" y2="{}"></line></svg>',
        label,
        format_html_join("", "{}", ((b,) for b in bars)),
        *(f"{y:.1f}" for y in (beat_y, beat_y, ttl_y, ttl_y)),
    )


def _beat(number: int, value: float, beat: float, ttl: float, top: float) -> SafeString:
    height = max(1.0, 60 * value / top)
    kind = "late" if value > ttl / 2 else "good"
    return format_html(
        '<rect class="{}" x="{}" y="{}" width="11" height="{}" rx="1.5"></rect>',
        kind,
        number * 15 + 2,
        f"{60 - height:.1f}",
        f"{height:.1f}",
    )


@register.filter
def percent_of(share: float | None, whole: float) -> Any:
    return f"{(share or 0) * whole:.1f}"
