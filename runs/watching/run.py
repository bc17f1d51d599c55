"""One run as its page tells it: the sentence on top, the stepper, the lease, the log."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.states import Kind, Status
from runs.watching import reads
from runs.watching.deeds.requested import Requested, requested
from runs.watching.history.lanes import Bar
from runs.watching.history.moves import names_of
from runs.watching.history.reading import History, history
from runs.watching.plans import Plan, Plans, StepPlan, plans
from runs.watching.rows import Line
from runs.watching.sentences import Entry, entry
from runs.watching.usual import Usual, UsualTimes, pace, usual_times
from runs.words import RETRYING

_STANDS_FOR_A_REASON = frozenset(
    {Status.BLOCKED, Status.HELD, Status.IN_DOUBT, Status.CANCELLED, Status.FAILED}
)
LOG_PAGE, DURATION_ROWS = 30, 2_000
SHOWN_STEPS = 12


@dataclass(frozen=True)
class Stage:
    """A step on the stepper: `state` is done, current or open. `rate` is in items a second."""

    number: int
    step: StepPlan
    state: str
    seconds: float | None
    since: datetime | None
    attempt: int | None
    items_done: int | None
    items_total: int | None
    usual: Usual | None
    rate: float | None = None

    @property
    def seconds_left(self) -> float | None:
        """Until the last item, if they go on as they have in this attempt."""
        if not self.rate or self.items_total is None or self.items_done is None:
            return None
        return max(0, self.items_total - self.items_done) / self.rate

    @property
    def share(self) -> float | None:
        if self.items_total and self.items_done is not None:
            return min(1.0, self.items_done / self.items_total)
        return None


@dataclass(frozen=True)
class Log:
    entries: list[Entry]
    older: int | None


@dataclass(frozen=True)
class RunPage:
    line: Line
    stages: list[Stage]
    log: Log
    usual: Usual | None
    history: History
    requested: Requested | None = None

    def seen_by(self, roles: frozenset[str]) -> RunPage:
        """The same page, as somebody with these roles may see it."""
        return replace(self, line=self.line.seen_by(roles))

    @cached_property
    def current(self) -> Stage | None:
        return next((stage for stage in self.stages if stage.state == "current"), None)

    @property
    def trouble(self) -> str:
        """Why it stands or tries again, in the words of its worker or of a person, redacted."""
        line = self.line
        if line.row["status"] in _STANDS_FOR_A_REASON:
            return str(line.row["reason"] or "")
        if line.word == RETRYING and self.log.entries and self.log.entries[0].kind == Kind.RETRY_SCHEDULED:
            return self.log.entries[0].why
        return ""

    @property
    def is_long(self) -> bool:
        return len(self.stages) > SHOWN_STEPS

    @property
    def shown(self) -> list[Stage]:
        """All stages, or of many the ones around the current: two behind it and three ahead."""
        if not self.is_long:
            return self.stages
        here = self.current.number - 1 if self.current else self.done_count
        first = max(0, min(here - 2, len(self.stages) - 6))
        return self.stages[first : first + 6]

    @property
    def done_count(self) -> int:
        return sum(stage.state == "done" for stage in self.stages)


class Runs:
    """Reads of single runs over one connection."""

    def __init__(self, db: BaseDatabaseWrapper, known: Plans | None = None) -> None:
        self._db = db
        self._plans = known or plans(db)
        self._times: UsualTimes = usual_times(db)
        self._pace = pace(self._plans, self._times)

    def page(self, run_id: str, upto: int | None = None) -> RunPage | None:
        """All that the page shows, or None where there is no such run. Payloads are not read."""
        found = reads.row(self._db, "run", {"steps": self._pace, "run_id": run_id})
        if found is None:
            return None
        line = Line(found, self._plans[found["workflow"]])
        log = self.log(line, upto)
        newest = log.entries[0].row if log.entries and upto is None else None
        found |= {f"last_{key}": value for key, value in (newest or {}).items()}
        usual = self._times.get((line.workflow, line.row["step"]))
        past = history(self._db, line)
        asked = requested(self._db, line, log.entries) if upto is None else None
        return RunPage(line, self._stages(line, past), log, usual, past, asked)

    def line(self, run_id: str) -> Line | None:
        found = reads.row(self._db, "run", {"steps": self._pace, "run_id": run_id})
        return Line(found, self._plans[found["workflow"]]) if found else None

    def log(self, line: Line, upto: int | None = None) -> Log:
        """The newest rows, or those from row `upto` backwards."""
        found = reads.rows(self._db, "log", {"run_id": line.run_id, "upto": upto, "limit": LOG_PAGE})
        owners = {r[side] for r in found for side in ("owner_before", "owner_after") if r[side]}
        names = names_of(owners)
        entries = [entry(r, line.plan, names) for r in found[:LOG_PAGE]]
        return Log(entries, found[LOG_PAGE]["id"] if len(found) > LOG_PAGE else None)

    def _stages(self, line: Line, past: History) -> list[Stage]:
        found = reads.rows(self._db, "durations", {"run_id": line.run_id, "most": DURATION_ROWS})
        times = {r["step"]: r for r in found}
        return [
            self._stage(line, number, step, times.get(step.name, {}), past)
            for number, step in enumerate(_steps(line.plan, line))
        ]

    def _stage(self, line: Line, number: int, step: StepPlan, times: dict[str, Any], past: History) -> Stage:
        state = _state(line, number)
        now, done = state == "current", state == "done"
        began, completed = times.get("began_at"), times.get("completed_at")
        took = (
            (completed - began).total_seconds()
            if done and began and completed and completed >= began
            else None
        )
        finished = past.items.get(step.name)
        return Stage(
            number=number + 1,
            step=step,
            state=state,
            seconds=took,
            since=began if now else None,
            attempt=line.row["attempt"] if now else times.get("attempts") if done else None,
            items_done=line.row["items_done"] if now else finished if done else None,
            items_total=line.row["items_total"] if now else finished if done else None,
            usual=self._times.get((line.workflow, step.name)),
            rate=_rate(line, past.under_way) if now else None,
        )


def _rate(line: Line, bar: Bar | None) -> float | None:
    """Items a second since this attempt began; the first few tell nothing yet."""
    done = line.row["items_done"]
    if bar is None or done is None or bar.step.name != line.row["step"]:
        return None
    seconds, items = (line.row["now"] - bar.start).total_seconds(), done - (bar.items or 0)
    return items / seconds if items >= 3 and seconds >= 1 else None


def _steps(plan: Plan, line: Line) -> tuple[StepPlan, ...]:
    """The plan's steps; where no catalogue knows the workflow, the step that the row names."""
    if plan.is_known:
        return plan.steps
    return (plan.step(line.row["step"]),) if line.row["step"] else ()


def _state(line: Line, number: int) -> str:
    if line.row["status"] == Status.DONE:
        return "done"
    place = line.place if line.plan.is_known else 0
    if place is None:
        return "open"
    return "done" if number < place else "current" if number == place else "open"
