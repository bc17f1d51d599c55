"""How long a step usually takes, from the log, and what follows for a run: slow, or late."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.db import bounded
from runs.errors import TookTooLong
from runs.watching import reads
from runs.watching.plans import Plans

ROWS = 20_000
ENOUGH_SAMPLES = 100
KEPT_SECONDS = 30.0
PATIENCE_SECONDS = 2.0


@dataclass(frozen=True)
class Usual:
    """Seconds that a step took, over `samples` recent doings."""

    samples: int
    p50: float
    p95: float
    p99: float

    @property
    def is_known(self) -> bool:
        return self.samples >= ENOUGH_SAMPLES

    @property
    def slow_after(self) -> float | None:
        """Slow is older than the step's p99 and twice its p95; too few samples say nothing."""
        return max(self.p99, 2 * self.p95) if self.is_known else None


UsualTimes = dict[tuple[str, str], Usual]

_kept: dict[str, tuple[float, UsualTimes]] = {}
_reckoning = threading.Lock()


def usual_times(db: BaseDatabaseWrapper) -> UsualTimes:
    """By (workflow, step). Reckoned at most twice a minute for each database and process, by one reader: the
    others go on with what was known, and wait only where nothing is."""
    name = str(db.settings_dict["NAME"])
    known = _kept.get(name)
    if (known and _is_fresh(known)) or not _reckoning.acquire(blocking=known is None):
        return known[1] if known else {}
    try:
        known = _kept.get(name)
        if known and _is_fresh(known):
            return known[1]
        _kept[name] = (time.monotonic(), _reckoned(db) or (known[1] if known else {}))
        return _kept[name][1]
    finally:
        _reckoning.release()


def _reckoned(db: BaseDatabaseWrapper) -> UsualTimes:
    """Empty where it takes too long: no page waits for what only tells slow from moving."""
    try:
        with bounded(PATIENCE_SECONDS):
            return {(r["workflow"], r["step"]): _usual(r) for r in reads.rows(db, "usual", {"rows": ROWS})}
    except TookTooLong:
        return {}


def _is_fresh(known: tuple[float, UsualTimes]) -> bool:
    return time.monotonic() - known[0] <= KEPT_SECONDS


def forget() -> None:
    """For tests that write the log themselves."""
    _kept.clear()


def pace(plans: Plans, times: UsualTimes) -> str:
    """The parameter %(steps)s of the facts: what is slow and what the promise leaves, for each known step."""
    steps = {(plan.workflow, step.name) for plan in plans for step in plan.steps} | set(times)
    return json.dumps(
        [
            {
                "workflow": workflow,
                "step": step,
                "slow_after": times[workflow, step].slow_after if (workflow, step) in times else None,
                "promise_seconds": plans[workflow].promise_left_at(step),
            }
            for workflow, step in sorted(steps)
        ]
    )


def _usual(r: reads.Row) -> Usual:
    return Usual(r["samples"], r["p50"], r["p95"], r["p99"])
