"""How long a step usually takes, from the log, and what follows for a run: slow, or late."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.watching import reads
from runs.watching.plans import Plans

ROWS = 20_000
ENOUGH_SAMPLES = 100
KEPT_SECONDS = 30.0


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


def usual_times(db: BaseDatabaseWrapper) -> UsualTimes:
    """By (workflow, step). Reckoned at most twice a minute for each database and process."""
    name = str(db.settings_dict["NAME"])
    at, times = _kept.get(name, (0.0, {}))
    if not at or time.monotonic() - at > KEPT_SECONDS:
        times = {(r["workflow"], r["step"]): _usual(r) for r in reads.rows(db, "usual", {"rows": ROWS})}
        _kept[name] = (time.monotonic(), times)
    return times


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
