"""One run's history, read at once for the timeline, the calls and what was paid."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.watching import reads
from runs.watching.history.axis import Axis, axis
from runs.watching.history.calls import Call, calls
from runs.watching.history.lanes import Bar, Held, Lane, held, is_at_rest, owners_of
from runs.watching.history.moves import moves, names_of
from runs.watching.history.paid import Paid, paid
from runs.watching.history.story import Incident, incidents
from runs.watching.rows import Line

LANES_SHOWN, CALLS_SHOWN, ITEMS_COUNTED = 6, 24, 20_000


@dataclass(frozen=True)
class Deploy:
    at: datetime
    build: str
    node: str


@dataclass(frozen=True)
class History:
    """Lanes and calls are oldest first. `items`: how many each looping step has finished. `is_cut`: the log has older
    rows than were read. `end`: now, or its last move."""

    held: Held
    deploys: list[Deploy]
    calls: list[Call]
    items: dict[str, int]
    open_cases: list[reads.Row]
    is_cut: bool
    is_at_rest: bool
    end: datetime

    @property
    def lanes(self) -> list[Lane]:
        """The newest, which are drawn."""
        return self.held.lanes[-LANES_SHOWN:]

    @property
    def lanes_left_out(self) -> int:
        return len(self.held.lanes) - len(self.lanes)

    @cached_property
    def names(self) -> dict[str, str]:
        return names_of(owners_of(self.held.lanes))

    def name(self, owner: str | None) -> str:
        return self.names.get(owner or "") or (owner or "").partition("#")[0]

    @cached_property
    def axis(self) -> Axis:
        spans = [(lane.start, lane.last_at or self.end) for lane in self.lanes]
        return axis(spans, self.end)

    @cached_property
    def incidents(self) -> list[Incident]:
        return incidents(self.held, self.calls)

    @property
    def under_way(self) -> Bar | None:
        """The attempt that somebody is at."""
        bars = self.held.lanes[-1].bars if self.held.lanes else []
        return bars[-1] if bars and bars[-1].end is None else None

    @property
    def shown_calls(self) -> list[Call]:
        """The newest, newest first."""
        return self.calls[::-1][:CALLS_SHOWN]

    @property
    def calls_left_out(self) -> int:
        return max(0, len(self.calls) - CALLS_SHOWN)

    @cached_property
    def paid(self) -> Paid:
        return paid(self.calls, is_charge=False)

    @cached_property
    def charged(self) -> Paid:
        return paid(self.calls, is_charge=True)


def history(db: BaseDatabaseWrapper, line: Line) -> History:
    """Four bounded reads: the newest moves, drains of its workers, its items by doing, its open cases."""
    found = moves(db, line.run_id)
    lanes = held(found, line.plan, line.row)
    items = reads.rows(db, "item_calls", {"run_id": line.run_id, "most": ITEMS_COUNTED})
    cases = [_case(r, line) for r in reads.rows(db, "cases", {"run_id": line.run_id})]
    at_rest = is_at_rest(line.row)
    last = found.rows[-1]["at"] if found.rows else line.row["now"]
    return History(
        held=lanes,
        deploys=_deploys(db, lanes, line.row["now"]),
        calls=calls(found, items, cases, line.plan, line.run_id),
        items=_finished(items),
        open_cases=cases,
        is_cut=found.is_cut,
        is_at_rest=at_rest,
        end=last if at_rest else line.row["now"],
    )


def _finished(items: list[reads.Row]) -> dict[str, int]:
    """One that was done twice is one."""
    found: dict[str, int] = {}
    for row in items:
        found[row["step"]] = found.get(row["step"], 0) + row["items"] - row["again"]
    return found


def _case(r: reads.Row, line: Line) -> reads.Row:
    money = (r["amount"], r["currency"]) if r["amount"] is not None else None
    return r | {"title": line.plan.step(r["step"]).title, "money": money}


def _deploys(db: BaseDatabaseWrapper, lanes: Held, now: datetime) -> list[Deploy]:
    since = lanes.lanes[0].start if lanes.lanes else now
    params = {"since": since, "owners": sorted(owners_of(lanes.lanes))}
    return [Deploy(r["marked_at"], r["build"], r["node"]) for r in reads.rows(db, "deploys", params)]
