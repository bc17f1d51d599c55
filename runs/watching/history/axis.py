"""The time axis of a picture: round numbers, and long spells in which nobody held the run drawn short."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import floor

from django.utils import timezone

_STEPS = (
    1,
    2,
    5,
    10,
    15,
    20,
    30,
    60,
    120,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    10_800,
    21_600,
    43_200,
    86_400,
    172_800,
    604_800,
)
TICKS_MAX = 7
# A spell longer than this share of the time that somebody held the run, and than a minute, is drawn short.
LONG_SHARE, LONG_SECONDS = 0.3, 60.0
GAP_WIDTH, GAPS_WIDTH_MAX = 7.0, 42.0

Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Piece:
    """A stretch of time and where it is drawn, in per cent of the width. A gap is drawn short, with its length told."""

    start: datetime
    end: datetime
    left: float
    right: float
    is_gap: bool = False

    @property
    def seconds(self) -> float:
        return (self.end - self.start).total_seconds()


@dataclass(frozen=True)
class Tick:
    x: float
    text: str


@dataclass(frozen=True)
class Axis:
    pieces: tuple[Piece, ...]

    def x(self, moment: datetime) -> float:
        """Where a moment is drawn, in per cent of the width; what lies outside is drawn at the edge."""
        for piece in self.pieces:
            if moment <= piece.end:
                share = max(0.0, (moment - piece.start).total_seconds()) / (piece.seconds or 1.0)
                return piece.left + share * (piece.right - piece.left)
        return self.pieces[-1].right

    @property
    def gaps(self) -> list[Piece]:
        return [piece for piece in self.pieces if piece.is_gap]

    def ticks(self) -> list[Tick]:
        """At round times of the viewer's clock; the hour and minute are told where they change."""
        drawn = [piece for piece in self.pieces if not piece.is_gap]
        seconds = sum(piece.seconds for piece in drawn)
        step = next((step for step in _STEPS if seconds / step <= TICKS_MAX), _STEPS[-1])
        ticks: list[Tick] = []
        before: datetime | None = None
        for piece in drawn:
            for moment in _rounds(piece, step):
                x = self.x(moment)
                if ticks and x - ticks[-1].x < 8:
                    continue
                ticks.append(Tick(x, _text(moment, before, step)))
                before = moment
        return ticks


def axis(spans: list[Span], end: datetime) -> Axis:
    """An axis over spans of time in which something happened, up to `end`."""
    busy = _joined([*spans, (end, end)])
    held = sum((stop - start).total_seconds() for start, stop in busy)
    longest = max(LONG_SECONDS, LONG_SHARE * held)
    stretches: list[tuple[datetime, datetime, bool]] = []
    for start, stop in busy:
        if not stretches:
            stretches.append((start, stop, False))
        elif (start - stretches[-1][1]).total_seconds() > longest:
            stretches += [(stretches[-1][1], start, True), (start, stop, False)]
        else:
            stretches[-1] = (stretches[-1][0], stop, False)
    return Axis(tuple(_drawn(stretches)))


def _drawn(stretches: list[tuple[datetime, datetime, bool]]) -> list[Piece]:
    gaps = sum(is_gap for *_, is_gap in stretches)
    gap_width = min(GAP_WIDTH, GAPS_WIDTH_MAX / gaps) if gaps else 0.0
    held = sum((stop - start).total_seconds() for start, stop, is_gap in stretches if not is_gap) or 1.0
    room, left, pieces = 100.0 - gaps * gap_width, 0.0, []
    for start, stop, is_gap in stretches:
        width = gap_width if is_gap else room * (stop - start).total_seconds() / held
        pieces.append(Piece(start, stop, left, left + width, is_gap))
        left += width
    if left < 100 and not gaps:
        pieces[-1] = Piece(pieces[-1].start, pieces[-1].end, pieces[-1].left, 100.0)
    return pieces


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, stop in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], stop))
        else:
            joined.append((start, stop))
    return joined


def _rounds(piece: Piece, step: int) -> list[datetime]:
    """Round times of the day in the viewer's zone, whose hours need not be those of UTC."""
    offset = (timezone.localtime(piece.start).utcoffset() or timedelta()).total_seconds()
    first = (floor((piece.start.timestamp() + offset) / step) + 1) * step - offset
    count = min(TICKS_MAX * 3, max(0, floor((piece.end.timestamp() - first) / step) + 1))
    return [datetime.fromtimestamp(first + n * step, piece.start.tzinfo) for n in range(count)]


def _text(moment: datetime, before: datetime | None, step: int) -> str:
    local = timezone.localtime(moment)
    last = timezone.localtime(before) if before else None
    if step >= 86_400:
        return f"{local.day} {local:%b}"
    day = f"{local.day} {local:%b} " if last and last.date() != local.date() else ""
    if step >= 60:
        return f"{day}{local:%H:%M}"
    same_minute = last is not None and (last.hour, last.minute) == (local.hour, local.minute) and not day
    return f":{local:%S}" if same_minute else f"{day}{local:%H:%M:%S}"
