"""The timeline as a table: the same spells and marks, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from runs.watching.history.lanes import Bar, Lane, Money
from runs.watching.history.reading import History

ROWS_MAX = 60


@dataclass(frozen=True)
class Row:
    at: datetime
    until: datetime | None
    epoch: int | None
    who: str
    what: str
    amount: Money | None = None


def rows(history: History) -> list[Row]:
    """The newest rows, newest first."""
    every = [row for lane in history.held.lanes for row in _of_lane(lane, history)]
    every += [
        Row(t.at, None, t.epoch, history.name(t.owner) or t.by, _taken(t.by)) for t in history.held.takeovers
    ]
    every += [
        Row(d.at, None, None, "", f"Deploy: workers of {_of_what(d.build, d.node)} were told to stop")
        for d in history.deploys
    ]
    return sorted(every, key=lambda row: row.at, reverse=True)[:ROWS_MAX]


def _of_lane(lane: Lane, history: History) -> Iterator[Row]:
    who = history.name(lane.owner)
    for bar in lane.bars:
        yield Row(bar.start, bar.end, lane.epoch, who, _attempt(bar), bar.amount)
    for silence in lane.silences:
        yield Row(silence.since, silence.lapsed_at, lane.epoch, who, "Silent: its lease was not renewed")
        yield Row(silence.lapsed_at, silence.until, lane.epoch, who, "Its lease had lapsed")
    for report in lane.reports:
        told = (
            f"Came back with its result of “{report.step.title}”: refused, nothing was changed"
            if report.is_refused
            else "Found that it no longer holds this run, and stopped"
        )
        yield Row(report.at, None, lane.epoch, who, told)


def _attempt(bar: Bar) -> str:
    attempt = f", attempt {bar.attempt}" if bar.attempt > 1 else ""
    return f"{bar.step.title}{attempt}: {bar.outcome}"


def _taken(by: str) -> str:
    return "Took it from its owner and gave it to nobody" if by else "Took it over"


def _of_what(build: str, node: str) -> str:
    return f"build {build}" if build else f"node {node}" if node else "a list"
