"""A list as CSV or JSON: a page of it at a time, each by a short statement of its own, so that the memory it takes
and the age of what it holds open do not depend on its length.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import datetime
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connection
from django.utils import timezone
from runs.queries import Line, Orders, Wanted

from dashboard.viewers import Roles

PAGE = 500
# A spreadsheet takes a cell that begins with one of these for a formula, and runs it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
BOM = "\ufeff"
COLUMNS = (
    "order",
    "run_id",
    "buyer",
    "amount",
    "currency",
    "state",
    "state_text",
    "step",
    "step_title",
    "steps_done",
    "steps",
    "waiting_on",
    "last_event",
    "last_event_at",
    "due_at",
    "worker",
    "build",
    "came_in_at",
    "moved_at",
)


async def pages(wanted: Wanted, ids: list[str] | None, roles: Roles) -> AsyncIterator[list[Line]]:
    """The list's lines, a page at a time. No transaction, snapshot or connection is held between two pages.

    Raises TookTooLong where the database did not answer: the download then breaks off, and is never taken for whole.
    """
    key = None
    while True:
        page = await sync_to_async(_page, thread_sensitive=False)(wanted, key, ids)
        yield [line.seen_by(roles) for line in page.lines]
        key = page.further
        if key is None:
            return


def _page(wanted: Wanted, key: Any, ids: list[str] | None) -> Any:
    try:
        reads = Orders(connection)
        with reads.bounded():
            return reads.page(wanted, key, ids=ids, limit=PAGE)
    finally:
        # The response goes on for minutes, and Django hands a connection back at its end.
        if not connection.in_atomic_block:
            connection.close()


async def as_csv(lines: AsyncIterator[list[Line]], about: str, zone: Any) -> AsyncIterator[bytes]:
    """A line that says what this is and of when, the names, a row a run, and at the end how many there are."""
    yield (BOM + _csv([[f"Orders as of {about}"], COLUMNS])).encode()
    runs = 0
    async for page in lines:
        runs += len(page)
        yield _csv(list(row(line, zone).values()) for line in page).encode()
    yield _csv([[f"End of the list: {runs} orders"]]).encode()


async def as_json(lines: AsyncIterator[list[Line]], about: dict[str, str], zone: Any) -> AsyncIterator[bytes]:
    """One object: as_of, filter, zone, orders, count. Cut short it is no JSON, so nobody takes a part for the whole."""
    yield (json.dumps(about, ensure_ascii=False)[:-1] + ', "orders": [').encode()
    runs, between = 0, "\n"
    async for page in lines:
        for line in page:
            yield (between + json.dumps(row(line, zone), ensure_ascii=False)).encode()
            between = ",\n"
        runs += len(page)
    yield f'\n], "count": {runs}}}\n'.encode()


def row(line: Line, zone: Any) -> dict[str, Any]:
    """A run as the list shows it, by the same words and with the same values hidden."""
    amount, currency = line.amount or ("", "")
    values = (
        line.order,
        line.run_id,
        line.buyer,
        amount,
        currency,
        line.word.key,
        line.word_text,
        line.row["step"],
        line.step.title,
        line.place if line.place is not None else "",
        len(line.plan.steps) or "",
        line.waiting_on,
        line.last.text if line.last else "",
        _time(line.last.at if line.last else None, zone),
        _time(line.due, zone),
        line.row["lease_owner"] or "",
        line.row["build"] or "",
        _time(line.row["created_at"], zone),
        _time(line.row["updated_at"], zone),
    )
    return dict(zip(COLUMNS, values, strict=True))


def _csv(rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(map(_safe, rows))
    return text.getvalue()


def _safe(values: Iterable[Any]) -> Iterator[str]:
    for value in map(str, values):
        yield f"'{value}" if value.startswith(_FORMULA) else value


def _time(moment: datetime | None, zone: Any) -> str:
    """ISO 8601 with its offset, in the viewer's zone, to the millisecond."""
    return timezone.localtime(moment, zone).isoformat(timespec="milliseconds") if moment else ""
