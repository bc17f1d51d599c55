"""The list of orders: a page of it, the lines for named runs, the counters, the search."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.labels import folded
from runs.watching import filters, reads
from runs.watching.plans import Plans, plans
from runs.watching.rows import Line
from runs.watching.usual import pace, usual_times
from runs.words import OTHER, WORDS, Facts, Group, Lease, Wake, Word, word_for

PAGE = 50
CAP = 10_000
SEARCH_CAP = 200


@dataclass(frozen=True)
class Key:
    """Where a page ends: the immutable key of its last row."""

    created_at: str
    run_id: str


@dataclass(frozen=True)
class Page:
    lines: list[Line]
    further: Key | None


@dataclass(frozen=True)
class Count:
    word: Word
    runs: int

    @property
    def is_capped(self) -> bool:
        return self.runs > CAP


class Counts:
    """How many runs stand under each word: unfinished ones exactly, finished ones capped and of today."""

    def __init__(self, runs: dict[str, int], late: int) -> None:
        self._runs = runs
        self.late = late

    def of(self, word: Word) -> int:
        return self._runs.get(word.key, 0)

    def group(self, group: str) -> list[Count]:
        return [Count(word, self.of(word)) for word in WORDS if word.group == group]

    def total(self, group: str) -> int:
        return sum(count.runs for count in self.group(group))

    @property
    def attention(self) -> int:
        """In doubt, needs a person, failed, and whatever else is past its promise."""
        return self.total(Group.ATTENTION) + self.late

    @property
    def in_flight(self) -> int:
        return (
            sum(self.total(g) for g in (Group.MENDING, Group.ON_ITS_WAY))
            + self._runs["in_doubt"]
            + self._runs["needs_a_person"]
        )


class Orders:
    """The list's reads over one connection, with the plans and the usual times that they share."""

    def __init__(self, db: BaseDatabaseWrapper, known: Plans | None = None) -> None:
        self._db = db
        self.plans = known or plans(db)
        self._pace = pace(self.plans, usual_times(db))

    def page(
        self,
        state: str = filters.ALL,
        after: Key | None = None,
        ids: Collection[str] | None = None,
        oldest_first: bool = False,
        limit: int = PAGE,
    ) -> Page:
        """One page, and the key to ask on with."""
        order, beyond = ("asc", ">") if oldest_first else ("desc", "<")
        params = filters.parameters(state) | {
            "steps": self._pace,
            "ids": list(ids) if ids is not None else None,
            "key_at": after.created_at if after else None,
            "key_id": after.run_id if after else "",
            "limit": limit,
        }
        found = reads.rows(self._db, "orders", params, order=order, beyond=beyond)
        lines = [Line(r, self.plans[r["workflow"]]) for r in found[:limit]]
        end = lines[-1].row if len(found) > limit else None
        return Page(lines, Key(end["created_key"], end["run_id"]) if end else None)

    def lines(self, run_ids: Collection[str]) -> dict[str, Line]:
        """The lines of exactly these runs, by run id; a deleted one is absent."""
        page = self.page(ids=run_ids, limit=max(1, len(run_ids))) if run_ids else Page([], None)
        return {line.run_id: line for line in page.lines}

    def counts(self, since: datetime) -> Counts:
        """The counters; finished runs count from `since` on."""
        runs = dict.fromkeys((word.key for word in WORDS), 0)
        late = 0
        for r in reads.rows(self._db, "counts", {"steps": self._pace}):
            facts = Facts(r["status"], Lease(r["lease"]), Wake(r["wake"]), r["tried"], r["slow"], r["late"])
            word = word_for(facts)
            runs[word.key] += r["runs"]
            late += r["runs"] if facts.late and word.group != Group.ATTENTION else 0
        ended = reads.row(self._db, "ended", {"cap": CAP, "since": since}) or {}
        return Counts(runs | ended, late)


def search(db: BaseDatabaseWrapper, text: str) -> list[str]:
    """Ids of the runs that these words name. An exact hit alone drives the beginnings out."""
    text = normalised(text)
    if not text:
        return []
    params = {
        "text": text,
        "folded": folded(text),
        "prefix": _like(folded(text)),
        "ref_prefix": _like(text.upper()),
        "cap": SEARCH_CAP,
    }
    hits = reads.rows(db, "search", params)
    return _best([(r["run_id"], r["rank"]) for r in hits])


def normalised(text: str) -> str:
    """Trimmed, single spaces, one Unicode form: what a person pastes is what was stored."""
    return " ".join(unicodedata.normalize("NFKC", text.replace("\0", "")).split())


def _like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def _best(hits: Iterable[tuple[str, int]]) -> list[str]:
    hits = list(hits)
    exact = [run_id for run_id, rank in hits if rank < 4]
    return exact or [run_id for run_id, _ in hits]


__all__ = ["CAP", "OTHER", "PAGE", "Count", "Counts", "Key", "Orders", "Page", "normalised", "search"]
