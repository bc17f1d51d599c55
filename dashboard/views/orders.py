"""The list of orders: where is it, is it stuck, whose turn is it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from runs.errors import TookTooLong
from runs.queries import (
    ALL,
    OPEN,
    Counts,
    Line,
    Orders,
    Page,
    position,
    run_query,
    search,
    stops,
)
from runs.words import BY_KEY, Group

from dashboard.filters.hiding import Hiding, hiding
from dashboard.filters.listing import Listing
from dashboard.filters.meaning import Filter, Known, understood
from dashboard.following import Following, following
from dashboard.live import watch
from dashboard.live.watch import Watch
from dashboard.roles import ROLES, SEE_ORDERS
from dashboard.saved import saved
from dashboard.viewers import Roles, roles_of
from dashboard.views.access import may
from dashboard.views.summary import day_began, found_text, summary

_TEXTS = {
    ALL: "every order",
    OPEN: "in flight",
    Group.ATTENTION: "needs attention",
    Group.MENDING: "mending itself",
    Group.ON_ITS_WAY: "on its way",
}
_EMPTY = {
    Group.ATTENTION: "Nothing needs attention",
    Group.MENDING: "Nothing is mending itself",
    Group.ON_ITS_WAY: "Nothing is on its way",
    Group.FINISHED: "Nothing has finished yet",
    OPEN: "Nothing is in flight",
}


@dataclass(frozen=True)
class List:
    """What a list shows: `page` is None where it could not be read in time, and empty where nothing matches."""

    asked: Listing
    state: str
    filter: Filter
    page: Page | None
    title: str = ""
    hidden_by: tuple[Hiding, ...] = ()

    @property
    def further_url(self) -> str:
        page = self.page
        return self.asked.url(key=page.further) if page and page.further else ""

    @property
    def state_text(self) -> str:
        state = self.state
        return BY_KEY[state].text.lower() if state in BY_KEY else _TEXTS.get(state, state.replace("_", " "))

    @property
    def every_url(self) -> str:
        """The same list of every state."""
        return self.asked.url(state="" if self.asked.filter else ALL)

    @property
    def empty_text(self) -> str:
        if self.asked.filter:
            return "No order matches this filter"
        return _EMPTY.get(self.state, f"No order is under “{self.state_text}”")

    @property
    def names_states(self) -> bool:
        """Does the filter itself say in which states to look?"""
        return any(word.key == "state" for word in self.filter.words)


@require_safe
@may(SEE_ORDERS)
def orders(request: HttpRequest) -> HttpResponse:
    """The list, or straight to the one run that a search names."""
    asked = Listing.parse(request.GET)
    after, now = position(connection)
    roles = roles_of(request.user)
    reads = Orders(connection)
    known = Known.of(reads.plans, roles)
    follows = following(request.user)
    counts = counted(reads, now)
    ids, in_time = _ids(reads, asked, known, follows)
    if asked.q and ids and len(ids) == 1:
        return redirect(reverse("run") + run_query(ids[0]))
    shown = listed(reads, asked, known, counts, ids, in_time)
    if asked.key and shown.page and not shown.page.lines:
        return redirect(asked.url())
    return render(
        request,
        "orders/orders.html",
        {
            "stream": watch.orders_stream(shown.page, _watch(shown), after, now, stops(connection)),
            "summary": summary(counts, "" if ids is not None else shown.state, shown.title),
            "list": shown,
            "asked": asked,
            "q": asked.q,
            "lines": _lines(shown.page, roles),
            "any_at_all": _any(reads, shown),
            "known": known,
            "follows": follows,
            "follow_ups": _follow_ups(reads, follows, roles) if asked.is_mine else [],
            "roles": ROLES,
            "saved": saved(request.user, roles, asked),
        },
    )


@require_safe
@may(SEE_ORDERS)
def rows(request: HttpRequest) -> HttpResponse:
    """The rows on a viewer's screen as they are now, for where no stream gets through."""
    asked = watch.parsed(request.GET)
    _, now = position(connection)
    roles = roles_of(request.user)
    reads = Orders(connection)
    lines = reads.lines(list(asked.run_ids)).values()
    changed = [line.seen_by(roles) for line in lines if line.print != asked.prints.get(line.run_id)]
    head = summary(counted(reads, now), "" if asked.title else asked.state, asked.title)
    answer = render(request, "orders/_changes.html", {"lines": changed, "summary": head})
    return watch.polled(answer, now)


def counted(reads: Orders, now: datetime) -> Counts | None:
    """The counters, or None where they could not be counted in time."""
    try:
        with reads.bounded():
            return reads.counts(day_began(now))
    except TookTooLong:
        return None


def listed(
    reads: Orders,
    asked: Listing,
    known: Known,
    counts: Counts | None,
    ids: list[str] | None = None,
    in_time: bool = True,
) -> List:
    """Read the page that is asked for. Of an unclear filter nothing is read."""
    state = state_of(asked, ids, counts)
    filter = understood(asked.filter, known, state)
    title = found_text(asked, len(ids) if in_time else None) if ids is not None else ""
    if not in_time:
        return List(asked, state, filter, None, title)
    if filter.problems:
        return List(asked, state, filter, Page([], None), title)
    try:
        with reads.bounded():
            page = reads.page(filter.wanted, asked.key, ids=ids)
    except TookTooLong:
        return List(asked, state, filter, None, title)
    parts = () if page.lines or ids is not None else tuple(hiding(reads, asked, state, filter, known))
    return List(asked, state, filter, page, title, parts)


def state_of(asked: Listing, ids: list[str] | None, counts: Counts | None) -> str:
    """Where a list looks. Without a state in the URL: at what needs attention, or else at everything in flight;
    with a filter everywhere, and so does what was searched for or is followed."""
    if ids is not None or (asked.filter and not asked.state):
        return ALL
    return asked.state or (Group.ATTENTION if counts is None or counts.attention else OPEN)


def _ids(reads: Orders, asked: Listing, known: Known, follows: Following) -> tuple[list[str] | None, bool]:
    """The runs that were searched for or are followed, None for any; and whether they were found in time."""
    if not asked.q:
        return (follows.run_ids if asked.is_mine else None), True
    try:
        with reads.bounded():
            return search(connection, asked.q, known.closed), True
    except TookTooLong:
        return [], False


def _watch(shown: List) -> Watch:
    searched = bool(shown.title)
    return Watch(
        state=shown.state,
        title=shown.title,
        filter=shown.filter.text,
        counts_news=not (searched or shown.asked.key or shown.page is None or shown.filter.problems),
    )


def _lines(page: Page | None, roles: Roles) -> list[Line]:
    return [line.seen_by(roles) for line in page.lines] if page else []


def _follow_ups(reads: Orders, follows: Following, roles: Roles) -> list[tuple[Line, datetime]]:
    """What one follows with a time to look again, the next one first."""
    lines = reads.lines(list(follows.look_again))
    times = [
        (lines[run_id].seen_by(roles), at) for run_id, at in follows.look_again.items() if run_id in lines
    ]
    return sorted(times, key=lambda each: each[1])


def _any(reads: Orders, shown: List) -> bool:
    return bool(shown.page is None or shown.page.lines or reads.page(limit=1).lines)
