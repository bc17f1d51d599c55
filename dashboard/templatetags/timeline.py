"""The timeline's geometry: across in per cent, so that it fills any width while its text keeps its size; down in pixels."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django import template
from django.utils import timezone
from runs.queries import Axis, Bar, History, Lane, Tick, history_rows

from dashboard.templatetags.shown import money, span

register = template.Library()
register.filter("as_rows", history_rows)

# A letter takes so many pixels, near enough, and the picture is never narrower than this: it scrolls instead.
LETTER, NARROWEST = 6.7, 620
LANE, LATE, TOP, FOOT = 84, 20, 10, 30
# Past this a label stands to the left of its mark, where there is room.
RIGHT_SIDE = 66.0


@dataclass(frozen=True)
class Mark:
    """A moment with its label, which stands on the side where there is room."""

    x: float
    text: str
    more: str = ""

    @property
    def is_right(self) -> bool:
        return self.x > RIGHT_SIDE


@dataclass(frozen=True)
class DrawnBar:
    """`solid` of the `width` is filled: until its worker was last known to be alive."""

    x: float
    width: float
    solid: float
    kind: str
    text: str
    title: str

    @property
    def is_cut(self) -> bool:
        return self.solid < self.width

    @property
    def cut_x(self) -> float:
        return round(self.x + self.solid, 2)


@dataclass(frozen=True)
class DrawnSilence:
    """From `x` on it was silent, from `lapse_x` to `end_x` its lease had lapsed."""

    x: float
    lapse_x: float
    end_x: float
    text: str

    @property
    def is_right(self) -> bool:
        return self.x > 45.0


@dataclass(frozen=True)
class DrawnLane:
    lane: Lane
    name: str
    y: int
    held: tuple[float, float]
    bars: list[DrawnBar]
    silences: list[DrawnSilence]
    refused: list[Mark]
    noticed: list[Mark]
    taken: Mark | None

    @property
    def start(self) -> float:
        return self.held[0]

    @property
    def end(self) -> float:
        return self.held[1]

    @property
    def height(self) -> int:
        return LANE + LATE if self.refused and self.refused[-1].is_right else LANE


@dataclass(frozen=True)
class Drawn:
    lanes: list[DrawnLane]
    ticks: list[Tick]
    gaps: list[Mark]
    deploys: list[Mark]
    now: Mark | None
    height: int
    floor: int
    from_at: datetime
    label: str


@register.filter
def drawn(history: History) -> Drawn | None:
    """Everything that the picture draws; None for a run that nobody has held."""
    if not history.lanes:
        return None
    axis, y, lanes = history.axis, TOP + (14 if history.deploys else 0), []
    for lane in history.lanes:
        lanes.append(_lane(history, axis, lane, y))
        y += lanes[-1].height
    return Drawn(
        lanes,
        [Tick(_at(tick.x), tick.text) for tick in axis.ticks()],
        [Mark(_at(gap.left / 2 + gap.right / 2), span(gap.seconds)) for gap in axis.gaps],
        [Mark(_when(axis, d.at), f"deploy {_clock(d.at)}") for d in history.deploys],
        None if history.is_at_rest else Mark(_when(axis, history.end), f"now {_clock(history.end)}"),
        y + FOOT,
        y,
        history.lanes[0].start,
        _label(history),
    )


def _lane(history: History, axis: Axis, lane: Lane, y: int) -> DrawnLane:
    reports = [(r, _when(axis, r.at)) for r in lane.reports]
    taken = next((t for t in history.held.takeovers if t.at == lane.end), None)
    return DrawnLane(
        lane,
        _short(history.name(lane.owner)),
        y,
        (_when(axis, lane.start), _when(axis, lane.end or history.end)),
        [_bar(history, axis, lane, bar) for bar in lane.bars],
        [_silence(history, axis, s.since, s.lapsed_at, s.until) for s in lane.silences],
        [Mark(x, f"late write refused {_clock(r.at)}", f"it reported “{r.step.title}”") for r, x in reports if r.is_refused],
        [Mark(x, "") for r, x in reports if not r.is_refused],
        Mark(_when(axis, taken.at), f"taken {'by ' + taken.by if taken.by else 'over'} {_clock(taken.at)}") if taken else None,
    )  # fmt: skip


def _bar(history: History, axis: Axis, lane: Lane, bar: Bar) -> DrawnBar:
    """What comes of a cut attempt is drawn hollow, up to the late report of it."""
    reported = [r.at for r in lane.reports if r.is_refused and r.step == bar.step] if bar.cut_at else []
    x, end = _when(axis, bar.start), max([bar.end or history.end, *reported])
    width = max(0.35, _when(axis, end) - x)
    solid = min(width, max(0.0, _when(axis, bar.cut_at) - x)) if bar.cut_at else width
    room = width - solid if solid < width else width
    title = f"{bar.step.title}{f', attempt {bar.attempt}' if bar.attempt > 1 else ''}"
    price = f", {money((str(bar.amount[0]), bar.amount[1]))}" if bar.amount else ""
    told = f"{title}{price}: {bar.outcome}, {_clock(bar.start)} to {_clock(bar.end) if bar.end else 'now'}"
    text = _fitting(room, f"{title}{price}", bar.step.title)
    return DrawnBar(x, width, solid, _KINDS.get(bar.outcome, "done"), text, told)


_KINDS = {
    "will be tried again": "retry",
    "in doubt": "doubt",
    "failed": "failed",
    "needs a person": "failed",
}


def _silence(
    history: History, axis: Axis, since: datetime, lapsed_at: datetime, until: datetime | None
) -> DrawnSilence:
    x, lapse_x = _when(axis, since), _when(axis, lapsed_at)
    text = f"silent from {_clock(since)}, lease lapsed {_clock(lapsed_at)}"
    return DrawnSilence(x, lapse_x, max(lapse_x + 0.4, _when(axis, until or history.end)), text)


def _fitting(width: float, *texts: str) -> str:
    """The longest text that has room in the bar; a bar that has room for none tells on the table and on hover."""
    room = width / 100 * NARROWEST - 14
    return next((text for text in texts if len(text) * LETTER <= room), "")


@register.filter
def who(history: History, owner: str) -> str:
    """The owner's name, short where it stays clear."""
    return history.name(owner)


def _short(name: str) -> str:
    """A pod's name beside its lane; whole it stands in the table, the log and the lease card."""
    return name if len(name) <= 30 else f"{name[:13]}…{name[-13:]}"


def _label(history: History) -> str:
    holders = [f"epoch {lane.epoch}, {history.name(lane.owner)}" for lane in history.lanes]
    return f"Timeline by epoch: {'; '.join(holders)}. The table below it says the same in words."


def _when(axis: Axis, moment: datetime) -> float:
    return _at(axis.x(moment))


def _at(x: float) -> float:
    """With a little room at both ends, for the line of the present and for what stands at the edge."""
    return round(0.4 + x * 0.985, 2)


def _clock(moment: datetime) -> str:
    return f"{timezone.localtime(moment):%H:%M:%S}"
