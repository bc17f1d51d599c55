"""Which buttons stand on a run's page: what its state allows and the viewer's roles may, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from runs.acting.words import DEEDS
from runs.queries import Ask, Line, ask_of, run_query, why_not
from runs.states import Status

from dashboard.roles import ACT_ON_ORDERS, CANCEL_ORDERS, REWIND_ORDERS, TAKE_OVER_HELD
from dashboard.viewers import Roles

ACTING = frozenset({ACT_ON_ORDERS, CANCEL_ORDERS, REWIND_ORDERS, TAKE_OVER_HELD})
BESIDE = 3
# By what the run is in need of; a verb that its state forbids is left out.
_FIRST = ("retry_failed", "lift", "mark_seen", "nudge", "hold", "flag", "take_over", "rewind", "cancel")
_LAPSED = ("take_over", "nudge", "hold", "flag", "lift", "rewind", "cancel")
_NEEDS = {"rewind": REWIND_ORDERS, "cancel": CANCEL_ORDERS}
_GRAVE = {"rewind", "cancel"}


@dataclass(frozen=True)
class Offer:
    """A button that leads to the verb's form. `look` is primary, danger or empty."""

    deed: str
    title: str
    url: str
    look: str = ""


@dataclass(frozen=True)
class Offers:
    """`beside` stand on the page, `menu` behind the three dots; `waits_for` is told to those who may not answer."""

    beside: list[Offer]
    menu: list[Offer]
    waits_for: str = ""
    off: str = ""


def acting_rights(user: AbstractBaseUser | AnonymousUser) -> frozenset[str]:
    """Those of the viewer's permissions that decide about buttons. Costs a query or two."""
    given: Iterable[str] = user.get_all_permissions() if hasattr(user, "get_all_permissions") else ()
    return ACTING & frozenset(given)


def offers(line: Line, roles: Roles, rights: frozenset[str]) -> Offers:
    """Depends on the run and on what a role may, never on who looks: so it is rendered once for many viewers."""
    ask = ask_of(line)
    mine = ask is not None and (ask.may in roles if ask.may else ACT_ON_ORDERS in rights)
    found = [_answer(line, ask)] if ask and mine else []
    if line.row["status"] not in set(Status):
        return Offers(found, [], off=why_not("hold", line.row) if rights else "")
    found += [_offer(line, deed, not found and n == 0) for n, deed in enumerate(_possible(line, rights))]
    waits_for = ask.waits_for if ask and not mine else ""
    # A menu of one is no menu.
    beside = BESIDE + 1 if len(found) == BESIDE + 1 else BESIDE
    return Offers(found[:beside], found[beside:], waits_for)


def _possible(line: Line, rights: frozenset[str]) -> list[str]:
    order = _LAPSED if line.row["lease"] == "lapsed" else _FIRST
    return [deed for deed in order if not why_not(deed, line.row) and _need(deed, line) <= rights]


def _need(deed: str, line: Line) -> frozenset[str]:
    if deed == "take_over" and line.row["lease"] == "good":
        return frozenset({ACT_ON_ORDERS, TAKE_OVER_HELD})
    return frozenset({_NEEDS.get(deed, ACT_ON_ORDERS)})


def _offer(line: Line, deed: str, is_first: bool) -> Offer:
    red = deed in _GRAVE or (deed == "take_over" and line.row["lease"] == "good")
    title = DEEDS[deed].title + ("…" if red else "")
    look = "primary" if is_first and not red else "danger" if red else ""
    return Offer(deed, title, reverse(deed.replace("_", "-")) + run_query(line.run_id), look)


def _answer(line: Line, ask: Ask) -> Offer:
    return Offer("signal", ask.title, reverse("signal") + run_query(line.run_id), "primary")
