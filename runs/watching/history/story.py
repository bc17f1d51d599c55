"""What went wrong for a run and how it mended, an incident at a time: who fell silent, who went on, what came too late."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from runs.watching.history.calls import Call
from runs.watching.history.lanes import Bar, Held, Lane, Report, Silence, Takeover

TOLD_MAX = 3


@dataclass(frozen=True)
class Incident:
    """A worker that fell silent, or lost the run to a person's decision. What is None has not happened, or not yet."""

    lane: Lane
    bar: Bar | None
    silence: Silence | None
    takeover: Takeover | None
    refused: Report | None
    noticed: Report | None
    landed: datetime | None
    again: Call | None

    @property
    def at(self) -> datetime:
        moment = self.silence.since if self.silence else self.takeover.at if self.takeover else None
        return moment or self.lane.start

    @property
    def is_over(self) -> bool:
        """Somebody went on with it, or the same worker was heard again."""
        return self.takeover is not None or (self.silence is not None and self.silence.until is not None)


def incidents(held: Held, calls: list[Call]) -> list[Incident]:
    """The newest few, newest first."""
    told = [incident for lane in held.lanes if (incident := _incident(lane, held, calls))]
    return told[::-1][:TOLD_MAX]


def _incident(lane: Lane, held: Held, calls: list[Call]) -> Incident | None:
    takeover = next((t for t in held.takeovers if t.at == lane.end), None)
    silence = lane.silences[-1] if lane.silences else None
    if takeover is None and silence is None:
        return None
    bar = next(
        (bar for bar in reversed(lane.bars) if silence is None or bar.start <= silence.lapsed_at), None
    )
    landed = bar.end if bar and bar.outcome == "landed late" else None
    return Incident(
        lane, bar, silence, takeover,
        next((report for report in lane.reports if report.is_refused), None),
        next((report for report in lane.reports if not report.is_refused), None),
        landed,
        next((c for c in calls if c.twin and bar and c.step == bar.step and c.epoch > lane.epoch), None),
    )  # fmt: skip
