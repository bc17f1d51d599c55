"""Saved views: a list's filter under a name, for oneself or for everybody of a role."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from dashboard.filters.listing import Listing
from dashboard.following import Person
from dashboard.models import SavedView
from dashboard.viewers import Roles

MOST = 100


@dataclass(frozen=True)
class Saved:
    """The views that a person may open: their own, and those shared with a role of theirs."""

    own: list[SavedView]
    shared: list[SavedView]
    here: SavedView | None


def open_to(person: Person, roles: Roles) -> QuerySet[SavedView]:
    """The views that this person may open. One that is not theirs reads as one that does not exist."""
    return SavedView.objects.filter(Q(owner=person.pk) | Q(role__in=roles))


def saved(person: Person, roles: Roles, asked: Listing) -> Saved:
    views = list(open_to(person, roles).select_related("owner")[: 2 * MOST])
    return Saved(
        [view for view in views if view.owner_id == person.pk],
        [view for view in views if view.owner_id != person.pk],
        next((view for view in views if str(view.pk) == asked.view), None),
    )


def save(person: Person, name: str, role: str, asked: Listing) -> SavedView | None:
    """Keep this list under a name; the same name again is changed. None where there is no room for another."""
    query = asked.query(view="")
    known = SavedView.objects.filter(owner=person.pk)
    if known.count() >= MOST and not known.filter(name=name).exists():
        return None
    view, _ = SavedView.objects.update_or_create(
        owner_id=person.pk, name=name, defaults={"role": role, "query": query}
    )
    return view
