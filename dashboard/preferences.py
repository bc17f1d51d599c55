"""Theme, time zone and shortcuts of a viewer, in cookies, so that the sign-in page has them too."""

from __future__ import annotations

from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.http import HttpRequest, HttpResponse

THEMES = ("system", "light", "dark")
THEME_COOKIE = "theme"
ZONE_COOKIE = "zone"
SHORTCUTS = ("on", "off")
SHORTCUTS_COOKIE = "shortcuts"
COMMON_ZONES = (
    "UTC",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Vienna",
    "Europe/Helsinki",
    "America/New_York",
    "America/Chicago",
    "America/Los_Angeles",
    "America/Sao_Paulo",
    "Asia/Dubai",
    "Asia/Kolkata",
    "Asia/Singapore",
    "Asia/Tokyo",
    "Australia/Sydney",
)
_YEAR_SECONDS = 365 * 86_400


def theme(request: HttpRequest | None) -> str:
    chosen = request.COOKIES.get(THEME_COOKIE, "") if request else ""
    return chosen if chosen in THEMES else "system"


def zone_name(request: HttpRequest | None) -> str:
    chosen = request.COOKIES.get(ZONE_COOKIE, "") if request else ""
    return chosen if is_zone(chosen) else settings.TIME_ZONE


def zone(request: HttpRequest | None) -> ZoneInfo:
    return ZoneInfo(zone_name(request))


def shortcuts(request: HttpRequest | None) -> str:
    """Keys without a modifier, such as / for the search, disturb who speaks to the computer: off for them."""
    chosen = request.COOKIES.get(SHORTCUTS_COOKIE, "") if request else ""
    return chosen if chosen in SHORTCUTS else "on"


def is_zone(name: str) -> bool:
    return name in _zones()


def keep(request: HttpRequest, response: HttpResponse) -> None:
    """Keep what the form brings; anything unknown is left as it was."""
    kept = (
        (THEME_COOKIE, THEMES.__contains__),
        (ZONE_COOKIE, is_zone),
        (SHORTCUTS_COOKIE, SHORTCUTS.__contains__),
    )
    for cookie, allowed in kept:
        value = request.POST.get(cookie, "")
        if allowed(value):
            response.set_cookie(
                cookie,
                value,
                max_age=_YEAR_SECONDS,
                samesite="Lax",
                httponly=True,
                secure=request.is_secure(),
            )


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
