"""What a page asks its stream for, in the stream's URL.

The URL says which runs are on the screen, where in the log the page stands (`after`), and what it shows of
each run already (`prints`). The page's script renews the last two on every connection, so that a reconnect
brings each change once: neither lost while it was away nor sent again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlencode

from django.core import signing
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.urls import reverse
from runs.queries import ALL, STATES, Line, Page, Position, RunPage, dom_key, run_query
from runs.words import Group

from dashboard import notes

_SALT = "leaseboard.watch"
_KEY, _PRINT = 16, 8


@dataclass(frozen=True)
class Stream:
    """For the template: where the stream of a page is, and where it can be asked instead."""

    url: str
    poll_url: str
    after: Position
    now: datetime
    stops: list[str]
    is_over: bool = False


@dataclass(frozen=True)
class Watch:
    """What one viewer looks at. `edge` is the last row's created key, where the list goes on past it newest first;
    new rows count on this side of it.
    """

    run_ids: tuple[str, ...] = ()
    state: str = ALL
    title: str = ""
    filter: str = ""
    counts_news: bool = False
    edge: str = ""
    after: Position | None = None
    prints: dict[str, str] = field(default_factory=dict)

    def is_news(self, line: Line) -> bool:
        """Would this run, which is not on the screen, stand among those that are?"""
        key: str = line.row["created_key"]
        return not self.edge or key >= self.edge


def orders_stream(
    page: Page | None, shown: Watch, after: Position, now: datetime, stops: list[str]
) -> Stream:
    """The stream of a list that shows `page` in the way that `shown` says."""
    page = page or Page([], None)
    asked = {
        "r": [line.run_id for line in page.lines],
        "s": shown.state,
        "t": shown.title,
        "f": shown.filter,
        "n": shown.counts_news,
        "e": page.further.created_at if page.further and shown.state != Group.ATTENTION else "",
    }
    query = "?" + urlencode({"watch": signing.dumps(asked, salt=_SALT, compress=True)})
    return Stream(reverse("orders-live") + query, reverse("orders-rows") + query, after, now, stops)


def run_stream(page: RunPage, after: Position, now: datetime, stops: list[str]) -> Stream:
    query = run_query(page.line.run_id)
    return Stream(
        reverse("run-live") + query, reverse("run-now") + query, after, now, stops, page.line.is_finished
    )


def parsed(query: Mapping[str, str]) -> Watch:
    """The watch in a list's URL. Raises BadRequest for one that no page of ours made."""
    try:
        asked = signing.loads(query.get("watch", ""), salt=_SALT)
    except signing.BadSignature:
        raise BadRequest("No page asks like this.") from None
    run_ids = tuple(asked["r"])
    state = asked["s"] if asked["s"] in STATES else ALL
    return Watch(
        run_ids,
        state,
        asked["t"],
        asked.get("f", ""),
        asked["n"],
        asked["e"],
        _after(query),
        _prints(query, run_ids),
    )


def parsed_run(query: Mapping[str, str], run_id: str) -> Watch:
    return Watch((run_id,), after=_after(query), prints=_prints(query, (run_id, notes.name_of(run_id))))


def polled(answer: HttpResponse, now: datetime) -> HttpResponse:
    """Tell the page's chip and clock that this came by asking, and of when it is."""
    told = {"state": "polling", "now": now.timestamp()}
    answer["HX-Trigger"] = json.dumps({"leaseboard:fresh": told, "leaseboard:state": told})
    return answer


def _after(query: Mapping[str, str]) -> Position | None:
    return Position.parse(query.get("after", ""))


def _prints(query: Mapping[str, str], run_ids: tuple[str, ...]) -> dict[str, str]:
    """`prints` is a run of (key, print) pairs of fixed length, as the page's rows carry them."""
    text, size = query.get("prints", ""), _KEY + _PRINT
    pairs = {text[i : i + _KEY]: text[i + _KEY : i + size] for i in range(0, len(text), size)}
    return {run_id: pairs[key] for run_id in run_ids if (key := dom_key(run_id)) in pairs}
