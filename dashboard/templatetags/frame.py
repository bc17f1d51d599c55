"""What stands around a page. Bears a missing request: the page of a broken server has none."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard import preferences
from dashboard.navigation import places

register = template.Library()


@register.simple_tag(takes_context=True)
def frame(context: template.Context) -> dict[str, Any]:
    request = context.get("request")
    user = getattr(request, "user", None)
    is_broken = bool(context.get("is_broken"))
    known = not is_broken and user is not None and user.is_authenticated
    path = request.path if request else "/"
    here = places(request) if known and request else []
    zone = preferences.zone_name(request)
    return {
        "theme": preferences.theme(request),
        "themes": preferences.THEMES,
        "shortcuts": preferences.shortcuts(request),
        "zone": zone,
        "zones": sorted({*preferences.COMMON_ZONES, zone}),
        "places": [(place, place.is_here(path)) for place in here],
        "user": user if known else None,
        "roles": ", ".join(group.name for group in user.groups.all()) if known and user else "",
        "next": request.get_full_path() if request and request.method == "GET" else "/",
    }


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon of the sprite that the base template carries. Always beside a word, so hidden from readers."""
    return format_html('<svg class="icon" aria-hidden="true"><use href="#i-{}"></use></svg>', name)
