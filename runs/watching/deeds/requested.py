"""How far it got, what a person asked of a run: requested, queued, claimed, committed. Accepted is not yet effective.

Read from the run's own log, so that everybody who looks at it sees the same, and a page that is opened later too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from runs.acting.words import BY_HAND
from runs.states import Kind, Status
from runs.watching import reads
from runs.watching.rows import Line
from runs.watching.sentences import Entry
from runs.watching.stops import SILENT_SECONDS

# Kind of the person's row -> the status that it is meant to bring about, or none where work goes on by it.
_ENDS_IN: dict[str, str] = {
    Kind.HELD: Status.HELD,
    Kind.CANCELLED: Status.CANCELLED,
    Kind.FLAGGED: Status.IN_DOUBT,
}
_GOES_ON = {Kind.TAKEN_OVER, Kind.LIFTED, Kind.RETRIED, Kind.REWOUND, Kind.NUDGED, Kind.SIGNALLED}
_FAILED_AGAIN = {Kind.FAILED, Kind.BLOCKED, Kind.RETRY_SCHEDULED, Kind.IN_DOUBT}
# What has had its effect is told for a while longer.
SHOWN_FOR = timedelta(minutes=30)


@dataclass(frozen=True)
class Mark:
    """One station on the way: `state` is done, here, ahead or failed."""

    word: str
    state: str
    text: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Fence:
    """What proves after a takeover that its old owner can write no more. `tone` as of a badge."""

    text: str
    tone: str
    at: datetime | None = None


@dataclass(frozen=True)
class Requested:
    entry: Entry
    did: str
    marks: list[Mark]
    fence: Fence | None

    @property
    def is_effective(self) -> bool:
        """Green only once what was asked for has happened: a commit, or the status that was wished."""
        return self.marks[-1].state == "done"


def requested(db: BaseDatabaseWrapper, line: Line, entries: Sequence[Entry]) -> Requested | None:
    """What a person asked for last, from the newest rows of the log; None if nobody did, or long ago."""
    place = next((n for n, entry in enumerate(entries) if _is_request(entry)), None)
    if place is None:
        return None
    entry, later = entries[place], list(reversed(entries[:place]))
    marks = _to_status(entry, later, line) if entry.kind in _ENDS_IN else _to_commit(db, entry, later, line)
    found = Requested(entry, BY_HAND.get(entry.kind, ""), marks, _fence(entry, later))
    is_old = line.row["now"] - entry.at > SHOWN_FOR
    return None if is_old and (found.is_effective or line.is_finished) else found


def _is_request(entry: Entry) -> bool:
    return bool(entry.row.get("actor")) and (entry.kind in _ENDS_IN or entry.kind in _GOES_ON)


def _asked(entry: Entry) -> Mark:
    return Mark("Requested", "done", f"by {entry.row['actor']}", entry.at)


def _to_status(entry: Entry, later: list[Entry], line: Line) -> list[Mark]:
    """Hold, cancel, flag: at once, or at the next boundary."""
    wished = _ENDS_IN[entry.kind]
    word = {"held": "On hold", "cancelled": "Cancelled", "in_doubt": "In doubt"}[wished]
    reached = next((e for e in (entry, *later) if e.row["status_after"] == wished), None)
    if reached is not None:
        return [
            _asked(entry),
            Mark(word, "done", "at once" if reached is entry else "at the boundary", reached.at),
        ]
    gone = next(
        (e for e in later if e.kind in (Kind.LIFTED, Kind.TAKEN_OVER, Kind.DONE, Kind.FAILED, Kind.REWOUND)),
        None,
    )
    if gone is not None:
        return [_asked(entry), Mark(word, "failed", f"not any more: {gone.word}", gone.at)]
    boundary = Mark("At the boundary", "here", f"once “{line.step.title}” is recorded")
    return [_asked(entry), boundary, Mark(word, "ahead")]


def _to_commit(db: BaseDatabaseWrapper, entry: Entry, later: list[Entry], line: Line) -> list[Mark]:
    """Everything after which a worker is to go on: green only after its commit."""
    if entry.row["status_after"] == Status.IN_DOUBT:
        return [_asked(entry), Mark("In doubt", "done", "its case waits for a decision", entry.at)]
    if entry.row["status_after"] == Status.STARTED and entry.row["owner_after"]:
        # A hold that was only asked for is withdrawn: the same worker goes straight on.
        return [_asked(entry), _committed(later, line, claimed=True)]
    claim = next((e for e in later if e.row["lease_event"] in ("claimed", "taken_over")), None)
    if claim is None:
        return [_asked(entry), _queued(db, line), Mark("Claimed", "ahead"), Mark("Committed", "ahead")]
    by = f"by {(claim.row['owner_after'] or '').partition('#')[0]}, epoch {claim.epoch}"
    after = [e for e in later if e.id > claim.id]
    return [
        _asked(entry),
        Mark("Queued", "done"),
        Mark("Claimed", "done", by, claim.at),
        _committed(after, line, claimed=True),
    ]


def _queued(db: BaseDatabaseWrapper, line: Line) -> Mark:
    if line.row["status"] not in (Status.PENDING, Status.STARTED, Status.WAITING):
        return Mark("Queued", "failed", f"no more: it is {line.word_text.lower()}")
    live = reads.rows(db, "stops", {"silent": SILENT_SECONDS})[0]["live"]
    return Mark("Queued", "here", f"not picked up yet ({live:,} worker{'' if live == 1 else 's'} alive)")


def _committed(after: list[Entry], line: Line, *, claimed: bool) -> Mark:
    for entry in after:
        if entry.row["completed_step"] or entry.kind in (Kind.DONE, Kind.LANDED_LATE):
            return Mark(
                "Committed", "done", f"“{line.plan.step(entry.row['completed_step'] or '').title}”", entry.at
            )
        if entry.kind in _FAILED_AGAIN:
            return Mark(
                "Failed again" if entry.kind == Kind.FAILED else entry.word.capitalize(),
                "failed",
                entry.why,
                entry.at,
            )
    return Mark("Committed", "here" if claimed else "ahead", f"“{line.step.title}” is under way")


def _fence(entry: Entry, later: list[Entry]) -> Fence | None:
    old, before = entry.row["owner_before"], entry.epoch - 1
    if entry.kind != Kind.TAKEN_OVER or not old:
        return None
    name = old.partition("#")[0]
    for told in later:
        if told.row["owner_before"] == old and told.kind == Kind.COMMIT_REFUSED:
            return Fence(
                f"The fence held: {name} tried to write with epoch {before} and was refused",
                "moving",
                told.at,
            )
        if told.row["owner_before"] == old and told.kind == Kind.LOSS_NOTICED:
            return Fence(f"{name} noticed that it had lost the run, and stopped", "moving", told.at)
    if entry.row["lapsed_at"]:
        return Fence(
            f"{name} was silent past its lease, and has written nothing since. Epoch {before} is closed",
            "grey",
        )
    ends = entry.at + timedelta(seconds=settings.LEASEBOARD_TTL_SECONDS)
    return Fence(
        f"Nothing has come from {name} since. Epoch {before} is closed; its lease would have ended at",
        "grey",
        ends,
    )
