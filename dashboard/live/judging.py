"""Who of those that look may still look: a stream is judged when it is opened, and again while it is open."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db.models import Q

from dashboard.live.hub import Viewer
from dashboard.roles import ROLES, SEE_ORDERS


def dismiss(viewers: Iterable[Viewer]) -> None:
    """End the streams of people who lost the permission, their account, or another role than they came with.

    Two queries, however many look. The browser asks for the stream anew, and the view decides as at any opening.
    """
    viewers = list(viewers)
    roles = _roles({viewer.user_id for viewer in viewers})
    for viewer in viewers:
        if roles.get(viewer.user_id) != viewer.roles:
            viewer.dismiss()


def _roles(user_ids: set[int]) -> dict[int, frozenset[str]]:
    """The roles of each of these people who may see orders."""
    named = SEE_ORDERS.partition(".")[2]
    may = Q(is_superuser=True) | Q(groups__permissions__codename=named) | Q(user_permissions__codename=named)
    people = User.objects.filter(may, pk__in=user_ids, is_active=True).distinct().prefetch_related("groups")
    return {
        person.pk: frozenset(ROLES)
        if person.is_superuser
        else frozenset(g.name for g in person.groups.all()) & ROLES.keys()
        for person in people
    }
