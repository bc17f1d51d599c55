"""The pages in the top bar, each with the permission that opens it. A page that nobody built has no entry."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from dashboard.roles import SEE_AUDIT, SEE_ORDERS


@dataclass(frozen=True)
class Place:
    title: str
    url: str
    icon: str
    permission: str
    below: tuple[str, ...] = ()

    def is_here(self, path: str) -> bool:
        return path.startswith((self.url, *self.below))


def places(request: HttpRequest) -> list[Place]:
    """What this viewer may open."""
    every = [
        Place("Orders", reverse("orders"), "orders", SEE_ORDERS, (reverse("run"),)),
        Place("Audit", reverse("audit"), "audit", SEE_AUDIT),
    ]
    return [place for place in every if request.user.has_perm(place.permission)]
