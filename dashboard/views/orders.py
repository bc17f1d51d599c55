"""The list of orders: where is it, is it stuck, whose turn is it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from runs.queries import (
    ALL,
    OPEN,
    SEARCH_CAP,
    STATES,
    Key,
    Orders,
    Page,
    normalised,
    position,
    run_query,
    search,
    stops,
)
from runs.words import BY_KEY, Group

from dashboard import paging
from dashboard.live import watch
from dashboard.live.watch import Watch
from dashboard.roles import SEE_ORDERS
from dashboard.views.access import may
from dashboard.views.summary import day_began, summary

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
    OPEN: "Nothing is in flight",
}


@require_safe
@may(SEE_ORDERS)
def orders(request: HttpRequest) -> HttpResponse:
    """The list, or straight to the one run that a search names."""
    q = normalised(request.GET.get("q", ""))[:200]
    after, now = position(connection)
    found = search(connection, q) if q else None
    if found is not None and len(found) == 1:
        return redirect(reverse("run") + run_query(found[0]))
    reads = Orders(connection)
    counts = reads.counts(day_began(now))
    state = ALL if q else _state(request, bool(counts.attention))
    key = paging.parsed(request.GET.get("after", ""))
    shown = Watch(
        state=state,
        title=_matches(q, len(found)) if found is not None else "",
        counts_news=not (q or key),
        oldest_first=state == Group.ATTENTION,
    )
    page = reads.page(state, key, ids=found, oldest_first=shown.oldest_first)
    if key and not page.lines:
        return redirect(_url(q, state))
    context = {
        "stream": watch.orders_stream(page, shown, after, now, stops(connection)),
        "summary": summary(counts, "" if q else state, shown.title),
        "lines": page.lines,
        "q": q,
        "page_key": key,
        "any_at_all": bool(page.lines) or _any(reads),
    }
    return render(request, "orders/orders.html", context | _links(q, state, page) | _words(state))


@require_safe
@may(SEE_ORDERS)
def rows(request: HttpRequest) -> HttpResponse:
    """The rows on a viewer's screen as they are now, for where no stream gets through."""
    asked = watch.parsed(request.GET)
    _, now = position(connection)
    reads = Orders(connection)
    lines = reads.lines(list(asked.run_ids)).values()
    changed = [line for line in lines if line.print != asked.prints.get(line.run_id)]
    head = summary(reads.counts(day_began(now)), "" if asked.title else asked.state, asked.title)
    answer = render(request, "orders/_changes.html", {"lines": changed, "summary": head})
    return watch.polled(answer, now)


def _matches(q: str, runs: int) -> str:
    return (
        f"{runs:,}{'+' if runs >= SEARCH_CAP else ''} orders match “{q}”"
        if runs
        else f"No order matches “{q}”"
    )


def _state(request: HttpRequest, needs_attention: bool) -> str:
    """What the URL asks for; without a word in it, what needs attention, or else everything in flight."""
    asked = request.GET.get("state", "")
    return asked if asked in STATES else Group.ATTENTION if needs_attention else OPEN


def _any(reads: Orders) -> bool:
    return bool(reads.page(limit=1).lines)


def _links(q: str, state: str, page: Page) -> dict[str, Any]:
    older = _url(q, state, page.further) if page.further else ""
    return {"first_url": _url(q, state), "older": page.further, "older_url": older}


def _words(state: str) -> dict[str, str]:
    text = BY_KEY[state].text if state in BY_KEY else _TEXTS.get(state, state)
    return {
        "state": state,
        "oldest_first": "yes" if state == Group.ATTENTION else "",
        "state_text": text,
        "empty_text": _EMPTY.get(state, f"No order is under “{text}”"),
    }


def _url(q: str, state: str, key: Key | None = None) -> str:
    query = {"q": q, "state": "" if q else state, "after": paging.printed(key)}
    return reverse("orders") + "?" + urlencode({name: value for name, value in query.items() if value})
