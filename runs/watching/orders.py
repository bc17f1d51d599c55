"""The list of orders: a page of it, and the lines of named runs."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.db import bounded
from runs.watching import counts, reads
from runs.watching.plans import Plans, plans
from runs.watching.rows import Line
from runs.watching.usual import pace, usual_times
from runs.watching.wanted import Wanted

PAGE = 50
PATIENCE_SECONDS = 2.0
FEW = 5_000


@dataclass(frozen=True)
class Key:
    """Where a page ends: what its last row is sorted by, when it came in, and its id."""

    sort: str
    created_at: str
    run_id: str


@dataclass(frozen=True)
class Page:
    lines: list[Line]
    further: Key | None


class Orders:
    """The list's reads over one connection, with the plans and the usual times that they share."""

    def __init__(self, db: BaseDatabaseWrapper, known: Plans | None = None) -> None:
        self._db = db
        self.plans = known or plans(db)
        self._pace = pace(self.plans, usual_times(db))

    def bounded(self) -> AbstractContextManager[None]:
        """Reads within raise TookTooLong instead of keeping a person waiting. For a request's connection."""
        return bounded(PATIENCE_SECONDS)

    def page(
        self,
        wanted: Wanted = Wanted(),  # noqa: B008 - it is frozen
        after: Key | None = None,
        ids: Collection[str] | None = None,
        limit: int = PAGE,
    ) -> Page:
        """One page, and the key to ask on with. Of `ids`, where given, in whatever state they are."""
        params = wanted.parameters(self.plans) | _beyond(after) | {"limit": limit}
        if ids is not None:
            found = self._rows("named", params | Wanted().walked() | {"ids": list(ids)})
        elif wanted.is_of_standing:
            order, beyond = ("asc", ">") if wanted.is_by_promise else ("desc", "<")
            found = self._rows("standing", params | wanted.standing(), order=order, beyond=beyond)
        elif (few := self._named(wanted)) is not None:
            found = self._rows("named", params | wanted.walked() | {"ids": few})
        else:
            found = self._rows("orders", params | wanted.walked())
        lines = [self._line(r) for r in found[:limit]]
        end = lines[-1].row if len(found) > limit else None
        return Page(lines, Key(end["sort_key"], end["created_key"], end["run_id"]) if end else None)

    def _named(self, wanted: Wanted) -> list[str] | None:
        """The runs that an order number or a label asks for, if they are few; else a walk through the list meets
        enough of them soon. Which of the two it is no statistics tell well enough."""
        patterns = [("named_label", pattern) for _, pattern in wanted.labels]
        if wanted.order:
            patterns.insert(0, ("named_order", wanted.order))
        for statement, pattern in patterns:
            found = reads.rows(self._db, statement, {"like": pattern.like(), "cap": FEW + 1})
            if len(found) <= FEW:
                return [r["run_id"] for r in found]
        return None

    def lines(self, run_ids: Collection[str]) -> dict[str, Line]:
        """The lines of exactly these runs, by run id; a deleted one is absent."""
        found = self._rows("lines", {"ids": list(run_ids)}) if run_ids else []
        return {r["run_id"]: self._line(r) for r in found}

    def counts(self, since: datetime) -> counts.Counts:
        """The counters; runs are done today if they were done since `since`."""
        return counts.counts(self._db, self._pace, since)

    def _rows(self, name: str, params: dict[str, Any], **words: str) -> list[reads.Row]:
        return reads.rows(self._db, name, params | {"steps": self._pace}, **words)

    def _line(self, r: reads.Row) -> Line:
        return Line(r, self.plans[r["workflow"]])


def _beyond(key: Key | None) -> dict[str, str | None]:
    return {
        "key_sort": key.sort if key else None,
        "key_at": key.created_at if key else None,
        "key_id": key.run_id if key else None,
    }
