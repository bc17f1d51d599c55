"""What people did, for the audit's page: each row of the book as sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.acting.words import DEEDS, Outcome
from runs.watching import reads
from runs.watching.plans import Plan, plans

PAGE = 50


@dataclass(frozen=True)
class BookFilter:
    """Which rows are wanted; empty means all. `before` is the id of the last row of the page before."""

    actor: str = ""
    deed: str = ""
    run: str = ""
    outcome: str = ""
    before: int | None = None


@dataclass(frozen=True)
class Deed:
    """One row of the book, and the plan of its run's workflow for the titles of steps."""

    row: reads.Row
    plan: Plan

    def __getattr__(self, name: str) -> Any:
        try:
            return self.row[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def sign(self) -> Outcome:
        return Outcome(self.row["outcome"])

    @property
    def what(self) -> str:
        """Took over; a page that was denied goes by its address."""
        deed = DEEDS.get(self.row["deed"])
        if self.row["outcome"] == Outcome.DENIED:
            return deed.wished if deed else "Wanted to open a page"
        if deed is None:
            return str(self.row["deed"]).replace("_", " ").capitalize()
        return deed.done if self.row["outcome"] == Outcome.DONE else deed.wished

    @property
    def target(self) -> str:
        """The order, or else whatever names what was acted on."""
        return str(self.row["order_ref"] or self.row["run_id"] or self.row["told"])

    @property
    def more(self) -> str:
        """What else names it, where the target is a run."""
        return str(self.row["told"]) if self.row["run_id"] and self.row["told"] else ""

    @property
    def changes(self) -> list[str]:
        """Before → after, only what differs, in words."""
        before, after = self.row["before"] or {}, self.row["after"]
        if after is None:
            return ["There was no such run."] if before and self.row["outcome"] == Outcome.REFUSED else []
        told = [
            _pair(name, before.get(key), after.get(key), self.plan) for name, key in _TOLD if key in before
        ]
        return [each for each in told if each] + _marks(before.get("marks"), after.get("marks"))


_TOLD = (("step", "step"), ("", "status"), ("epoch", "epoch"), ("owner", "lease_owner"))


@dataclass(frozen=True)
class Book:
    """A page of deeds; `older` is the key of the next."""

    deeds: list[Deed]
    older: int | None


def book(db: BaseDatabaseWrapper, asked: BookFilter) -> Book:
    """What was asked for, newest first; a run that nobody knows has an empty book."""
    params = {"actor": asked.actor, "deed": asked.deed, "outcome": asked.outcome, "before": asked.before}
    runs = _runs(db, asked.run) if asked.run else None
    found = reads.rows(db, "audit", params | {"runs": runs, "limit": PAGE})
    known = plans(db)
    deeds = [Deed(r, known[r["workflow"]]) for r in found[:PAGE]]
    return Book(deeds, found[PAGE - 1]["id"] if len(found) > PAGE else None)


def _runs(db: BaseDatabaseWrapper, name: str) -> list[str]:
    """A run may be gone and its deeds are not, so its name stands for itself as well."""
    return [name, *(r["run_id"] for r in reads.rows(db, "runs_named", {"name": name}))]


def _pair(name: str, before: Any, after: Any, plan: Plan) -> str:
    if before == after:
        return ""
    texts = [_text(name, value, plan) for value in (before, after)]
    return f"{name} {texts[0]} → {texts[1]}".strip()


def _text(name: str, value: Any, plan: Plan) -> str:
    if name == "step":
        return f"“{plan.step(str(value or '')).title}”"
    if name == "owner":
        return str(value or "").partition("#")[0] or "nobody"
    return str("none" if value is None else value).replace("_", " ")


def _marks(before: Any, after: Any) -> list[str]:
    asked = sorted(set(after or ()) - set(before or ()))
    gone = sorted(set(before or ()) - set(after or ())) if before is not None else []
    return [f"{mark} asked for at the next boundary" for mark in asked] + [
        f"{mark} no longer asked for" for mark in gone
    ]
