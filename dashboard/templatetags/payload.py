"""Payloads on a page: their links, their sizes, their blocks."""

from __future__ import annotations

import json

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from runs.queries import Line, Ref, blocks, in_a_line, run_query

register = template.Library()
register.filter("blocks", lambda shown: blocks(shown.tree.root))
register.filter("in_a_line", lambda row: in_a_line(row.tree.root))


@register.simple_tag
def payload_url(line: Line, ref: Ref, name: str = "payload", path: tuple[str, ...] = ()) -> str:
    """Where a payload is shown, loaded down, or one field of it revealed. Names of fields are in it, never values."""
    asked: dict[str, object] = {"part": ref.part.value}
    asked |= {key: value for key, value in (("step", ref.step), ("id", ref.id)) if value}
    if path:
        asked["at"] = json.dumps(path, ensure_ascii=False)
    return reverse(name) + run_query(line.run_id, **asked)


@register.simple_tag
def payload_loads(line: Line, ref: Ref) -> SafeString:
    """Attributes of a part that is read only once somebody opens it. Without scripts the link inside it leads there."""
    url = payload_url(line, ref)
    return format_html(' hx-get="{}" hx-trigger="toggle once" hx-target="find .part-body"', url)


@register.filter
def size(count: int | None) -> str:
    """640 bytes, 1.2 KB, 12 MB; of None, only that it is large."""
    if count is None:
        return "over 1 MB"
    if count < 1000:
        return f"{count} byte{'' if count == 1 else 's'}"
    value = count / 1024
    for unit in ("KB", "MB"):
        if value < 1000:
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
        value /= 1024
    return f"{value:.1f} GB"
