"""How values look: times in the viewer's zone, durations, money, links to runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, InvalidOperation

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from runs.queries import run_query

register = template.Library()

# H:M for a promise, H:M:S for what is going on, and milliseconds for rows of the log.
_CLOCKS: dict[str, Callable[[datetime], str]] = {
    "H:M": lambda local: f"{local:%H:%M}",
    "H:M:S": lambda local: f"{local:%H:%M:%S}",
    "ms": lambda local: f"{local:%H:%M:%S}.{local.microsecond // 1000:03}",
}
_SIGNS = {"EUR": "€", "GBP": "£", "USD": "$"}


@register.simple_tag
def run_url(run_id: str, name: str = "run", **more: object) -> str:
    return reverse(name) + run_query(run_id, **more)


@register.filter
def money(pair: tuple[str, str] | None) -> str:
    """€14,200.00; a currency without a sign of its own stands behind: 310.00 SEK. Other text stays."""
    if not pair:
        return ""
    value, currency = pair
    try:
        amount = Decimal(value)
        text = f"{amount:,.2f}" if amount.is_finite() and abs(amount) < Decimal("1e15") else value
    except InvalidOperation:
        return value
    sign = _SIGNS.get(currency)
    return f"{sign}{text}" if sign else f"{text} {currency}".strip()


@register.filter
def in_currency(amount: Decimal, currency: str) -> str:
    return money((str(amount), currency))


@register.filter
def span(seconds: float | None) -> str:
    """A duration: 320 ms, 1.8 s, 46 s, 12 min, 5 h, 3 d. The scripts count on in the same words."""
    if seconds is None:
        return ""
    seconds = max(0.0, seconds)
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    for unit, size in (("d", 172_800), ("h", 7_200), ("min", 120)):
        if seconds >= size:
            return f"{int(seconds // {'d': 86_400, 'h': 3_600, 'min': 60}[unit])} {unit}"
    return f"{int(seconds)} s"


@register.filter
def whole_span(seconds: float) -> str:
    return span(seconds) if seconds >= 10 else f"{max(0, int(seconds))} s"


@register.filter
def counted(number: int) -> str:
    """118,612."""
    return f"{number:,}"


@register.filter
def in_thirds(name: str) -> tuple[str, str, str]:
    """Beginning, middle and end of a long name: a page shows the middle as … until it is focused or copied."""
    if len(name) <= 34:
        return name, "", ""
    return name[:18], name[18:-14], name[-14:]


@register.filter
def pace(rate: float) -> str:
    """Items a second as people count: 2.1 a second, 12 a minute, 3 an hour."""
    for unit, seconds in (("a second", 1), ("a minute", 60), ("an hour", 3600)):
        if rate * seconds >= 1 or unit == "an hour":
            amount = rate * seconds
            return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"
    return ""


@register.simple_tag
def at(moment: datetime | None, now: datetime | None = None, form: str = "H:M:S") -> SafeString | str:
    """A moment: the time of day, with its date unless that is today's; whole and with its zone on hover."""
    if moment is None:
        return "–"
    local = timezone.localtime(moment)
    today = timezone.localtime(now).date() if now else timezone.localdate()
    text = _CLOCKS[form](local)
    if local.date() != today:
        text = f"{local.day} {local:%b} {text}" if local.year == today.year else f"{local:%Y-%m-%d} {text}"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        f"{local:%Y-%m-%d %H:%M:%S.%f %Z}",
        text,
    )


@register.simple_tag
def ago(moment: datetime | None, now: datetime) -> SafeString | str:
    """How long since, counted on by the page from the database's clock."""
    if moment is None:
        return "–"
    return _ticking("since", moment, whole_span((now - moment).total_seconds()))


@register.simple_tag
def left(moment: datetime, now: datetime) -> SafeString:
    """How long until, counted down by the page."""
    return _ticking("until", moment, whole_span((moment - now).total_seconds()))


@register.simple_tag
def due(moment: datetime, now: datetime) -> SafeString:
    """in 3 min, late 2 min."""
    seconds = (moment - now).total_seconds()
    return _ticking(
        "due", moment, f"in {whole_span(seconds)}" if seconds > 0 else f"late {whole_span(-seconds)}"
    )


def _ticking(kind: str, moment: datetime, text: str) -> SafeString:
    return format_html(
        '<time class="keep" datetime="{}" data-{}="{}">{}</time>',
        moment.isoformat(),
        kind,
        f"{moment.timestamp():.3f}",
        text,
    )
