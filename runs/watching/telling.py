"""The sentence on top of a run's page, and what to tell the buyer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from runs.states import Status
from runs.watching.run import RunPage
from runs.words import (
    CANCELLED,
    DONE,
    FAILED,
    IN_DOUBT,
    LOST,
    MOVING,
    NEEDS_A_PERSON,
    ON_HOLD,
    QUEUED,
    RETRYING,
    SLOW,
    WAITING,
    Word,
)

_ORDINALS = {
    2: "second",
    3: "third",
    4: "fourth",
    5: "fifth",
    6: "sixth",
    7: "seventh",
    8: "eighth",
    9: "ninth",
}


@dataclass(frozen=True)
class Told:
    """`where`, then `what` in bold with the moment `since` or `until`, then `rest`, then whose turn it is."""

    where: str
    what: str
    since: datetime | None = None
    until: datetime | None = None
    rest: str = ""
    turn: str = ""
    is_yours: bool = False


def told(page: RunPage) -> Told:
    """What is going on, in one breath. No value of a payload gets in here."""
    line = page.line
    return Told(_where(page), *_what(page), _rest(page), *_turn(line.word, page))


def to_the_buyer(page: RunPage) -> str:
    """The workflow's own sentence for the buyer at this step."""
    line = page.line
    if line.row["status"] == Status.DONE:
        return "Everything you asked for is done."
    if line.row["status"] in (Status.CANCELLED, Status.FAILED):
        return ""
    return line.step.saying


def _where(page: RunPage) -> str:
    line = page.line
    total = len(line.plan.steps)
    if line.row["status"] == Status.DONE:
        return f"All {total} steps are finished" if total else "Every step is finished"
    if line.place is None:
        known = (
            "which no published workflow knows"
            if line.plan.is_known
            else "of a workflow that nobody has published"
        )
        return f"At step “{line.row['step']}”, {known}" if line.row["step"] else "It stands at no step"
    return f"Step {line.place + 1} of {total}, {line.step.doing}"


def _what(page: RunPage) -> tuple[str, datetime | None, datetime | None]:
    line, word = page.line, page.line.word
    began = page.current.since if page.current else None
    moved: datetime | None = line.row["updated_at"]
    if word in (MOVING, SLOW):
        vendor = line.step.vendor
        return (f"waiting for {vendor} since" if vendor else "at work since"), began or moved, None
    if word == RETRYING:
        return "the next attempt begins at", None, line.row["wake_at"]
    if word == WAITING:
        if line.row["wake"] == "ahead":
            awaited = line.row["signal"]
            return f"waiting for {awaited}, until" if awaited else "asleep until", None, line.row["wake_at"]
        return f"waiting for {line.row['signal'] or 'a signal'} since", moved, None
    if word == LOST and line.row["lease"] == "none":
        # Taken from its worker by a person, or a call that was left to be asked for again.
        return "ready, and waiting for a free worker since", line.row.get("last_at") or moved, None
    if word == LOST:
        return (
            "its worker has been silent past its lease, which lapsed at",
            line.row["lease_expires_at"] or moved,
            None,
        )
    return _STANDING.get(word, f"{line.word_text.lower()} since"), moved, None


_STANDING = {
    QUEUED: "ready, and waiting for a free worker since",
    ON_HOLD: "on hold since",
    IN_DOUBT: "in doubt since",
    NEEDS_A_PERSON: "held until someone looks, since",
    FAILED: "it gave up at",
    DONE: "finished at",
    CANCELLED: "cancelled at",
}


def _rest(page: RunPage) -> str:
    attempt, after = page.line.row["attempt"] or 0, _after_whom(page)
    if attempt < 2 or page.line.row["status"] not in (Status.STARTED, Status.PENDING):
        return ""
    if page.line.word == RETRYING:
        return f"after {attempt} attempts"
    return f"{_ORDINALS.get(attempt, f'{attempt}th')} attempt{after}"


def _after_whom(page: RunPage) -> str:
    """Whose attempt at this step came to no end."""
    for incident in page.history.incidents:
        is_here = incident.bar is not None and incident.bar.step.name == page.line.row["step"]
        if is_here and incident.takeover and incident.lane.epoch < page.line.row["epoch"]:
            who = page.history.name(incident.lane.owner)
            return f" after {who} went silent" if incident.silence else f" after it was taken from {who}"
    return ""


def _turn(word: Word, page: RunPage) -> tuple[str, bool]:
    """Whose turn it is, and whether that is the reader's."""
    if word == IN_DOUBT:
        who = page.line.step.decides or "someone who can look"
        vendor = page.line.step.vendor or "the vendor"
        return (
            f"{who.capitalize()} must find out at {vendor} whether it happened.",
            True,
        )
    if word == NEEDS_A_PERSON:
        return "Someone must look at it.", True
    if word == FAILED:
        return "Nothing more will happen by itself.", True
    if word == ON_HOLD:
        return "It goes on when the hold is lifted.", True
    if word == LOST and page.line.is_overdue:
        return "It should have been taken over by now: ask operations whether any worker may claim.", True
    if word.key == "other":
        return "Its status is one that this version does not know, so nothing here will act on it.", False
    return "Nothing for you to do.", False
