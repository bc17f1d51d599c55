"""Who held a run, and when: a lane for each epoch with its attempts, its silences, and what came too late."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from runs.states import Kind, Status
from runs.watching import reads
from runs.watching.history.moves import Moves, is_report, last_renewal, money_of
from runs.watching.plans import Plan, StepPlan

Money = tuple[Decimal, str]


@dataclass
class Bar:
    """One attempt at a step. `end` is None while it is under way; `cut_at` is when its worker fell silent for good,
    after which nobody could know what it did."""

    step: StepPlan
    attempt: int
    start: datetime
    end: datetime | None = None
    outcome: str = "under way"
    amount: Money | None = None
    items: int | None = None
    cut_at: datetime | None = None


@dataclass(frozen=True)
class Silence:
    """No renewal from `since`; the lease lapsed at `lapsed_at`, and `until` somebody took it, or it was heard again."""

    since: datetime
    lapsed_at: datetime
    until: datetime | None


@dataclass(frozen=True)
class Report:
    """What a worker told after it had lost the run. `is_refused`: it had a result, and that was not taken."""

    at: datetime
    step: StepPlan
    is_refused: bool


@dataclass
class Lane:
    epoch: int
    owner: str
    build: str
    start: datetime
    end: datetime | None = None
    bars: list[Bar] = field(default_factory=list)
    silences: list[Silence] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)

    @property
    def last_at(self) -> datetime | None:
        """When the last was heard of it; None while it holds the run."""
        if self.end is None:
            return None
        return max([self.end, *(report.at for report in self.reports)])


@dataclass(frozen=True)
class Takeover:
    """`by` is a person who took the run and gave it to nobody, or empty where the next owner took it."""

    at: datetime
    epoch: int
    owner: str
    by: str = ""


@dataclass
class Held:
    lanes: list[Lane] = field(default_factory=list)
    takeovers: list[Takeover] = field(default_factory=list)


_OUTCOMES: dict[str, str] = {
    Kind.RETRY_SCHEDULED: "will be tried again",
    Kind.IN_DOUBT: "in doubt",
    Kind.FLAGGED: "in doubt",
    Kind.FAILED: "failed",
    Kind.BLOCKED: "needs a person",
    Kind.CANCELLED: "cancelled",
    Kind.HELD: "held",
    Kind.WAITING: "waits",
    Kind.RELEASED: "given back",
    Kind.REWOUND: "sent back",
}


def held(found: Moves, plan: Plan, row: reads.Row) -> Held:
    """The lanes, oldest first, out of the log and the row as it stands."""
    reader = _Reader(plan)
    for move in found.rows:
        if not is_report(move):
            reader.move(move)
    for move in filter(is_report, found.rows):
        reader.report(move)
    reader.now(row)
    return reader.held


class _Reader:
    """Follows the log row by row: at most one lane holds the run, and at most one attempt is under way."""

    def __init__(self, plan: Plan) -> None:
        self.held = Held()
        self._plan = plan
        self._lane: Lane | None = None

    def move(self, r: reads.Row) -> None:
        if r["lapsed_at"]:
            self._lapse(r)
        if r["kind"] == Kind.TAKEN_OVER:
            self.held.takeovers.append(_takeover(r))
        if self._lane is not None and r["epoch"] > self._lane.epoch and not r["completed_step"]:
            self._leave(r["at"], "taken over")
        if r["completed_step"]:
            self._completed(r)
        if r["owner_after"] and (self._lane is None or self._lane.epoch != r["epoch"]):
            self._enter(r["epoch"], r["owner_after"], r["at"], r["build"])
        if self._lane is None:
            return
        if not r["completed_step"] and (r["began_step"] or r["kind"] in _OUTCOMES):
            self._end_bar(r["at"], _OUTCOMES.get(r["kind"], "begun again"))
        if r["began_step"]:
            self._begin(r)
        if not r["owner_after"]:
            self._leave(r["at"], _OUTCOMES.get(r["kind"], "given back"))

    def report(self, r: reads.Row) -> None:
        lane = next((lane for lane in reversed(self.held.lanes) if lane.epoch == r["epoch"]), None)
        if lane is not None:
            refused = r["kind"] == Kind.COMMIT_REFUSED
            lane.reports.append(Report(r["at"], self._plan.step(r["step_before"] or ""), refused))

    def now(self, row: reads.Row) -> None:
        """The lapse under way is in no row of the log yet."""
        lane, expires = self._lane, row["lease_expires_at"]
        if lane is None or row["lease"] != "lapsed" or expires is None:
            return
        since = expires - timedelta(seconds=row["ttl_seconds"] or 30.0)
        lane.silences.append(Silence(max(since, lane.start), expires, None))
        if lane.bars and lane.bars[-1].end is None:
            lane.bars[-1].cut_at = max(since, lane.bars[-1].start)

    def _enter(self, epoch: int, owner: str, at: datetime, build: str | None) -> None:
        self._lane = Lane(epoch, owner, build or "", at)
        self.held.lanes.append(self._lane)

    def _begin(self, r: reads.Row) -> None:
        assert self._lane is not None
        step = self._plan.step(r["began_step"])
        self._lane.bars.append(
            Bar(step, r["attempt"] or 1, r["at"], amount=money_of(r), items=r["items_done"])
        )

    def _completed(self, r: reads.Row) -> None:
        """An attempt that ends well. One that nobody began here was found done at the vendor, or came in late."""
        lane = self._lane or (self.held.lanes[-1] if self.held.lanes else None)
        if lane is None:
            return
        landed = r["kind"] == Kind.LANDED_LATE
        if landed or not lane.bars or lane.bars[-1].end is not None:
            step = self._plan.step(r["completed_step"])
            if landed and lane.bars and lane.bars[-1].step == step:
                lane.bars[-1].end, lane.bars[-1].outcome = r["at"], "landed late"
            else:
                lane.bars.append(Bar(step, r["attempt_before"] or 1, lane.start, r["at"], "found done"))
            return
        self._end_bar(r["at"], "recorded")

    def _lapse(self, r: reads.Row) -> None:
        lane, since = self._lane, last_renewal(r)
        if lane is None or since is None:
            return
        since = max(since, lane.start)
        lane.silences.append(Silence(since, r["lapsed_at"], r["at"]))
        if lane.bars and lane.bars[-1].end is None and not (r["completed_step"] and r["epoch"] == lane.epoch):
            lane.bars[-1].cut_at = max(since, lane.bars[-1].start)

    def _end_bar(self, at: datetime, outcome: str) -> None:
        bars = self._lane.bars if self._lane else []
        if bars and bars[-1].end is None:
            bars[-1].end, bars[-1].outcome = at, outcome

    def _leave(self, at: datetime, outcome: str) -> None:
        if self._lane is not None:
            self._end_bar(at, outcome)
            self._lane.end = at
            self._lane = None


def _takeover(r: reads.Row) -> Takeover:
    return Takeover(
        r["at"], r["epoch"], r["owner_after"] or "", "" if r["owner_after"] else r["actor"] or "a person"
    )


def owners_of(lanes: Iterable[Lane]) -> set[str]:
    return {lane.owner for lane in lanes}


def is_at_rest(row: reads.Row) -> bool:
    """Nobody holds it and no time passes for it: a picture of it ends with its last move."""
    return row["lease"] == "none" and row["status"] in (Status.DONE, Status.FAILED, Status.CANCELLED)
