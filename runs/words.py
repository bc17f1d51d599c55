"""One word for every run: where it stands as a person would say it, with its icon, tone and sentence.

Pages, exports and alerts share this table. The facts it judges are few and are reckoned in SQL
(runs/sql/watching/facts.sql), so that counters and rows can never disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from runs.states import Status


class Lease(StrEnum):
    """Is somebody entitled to advance the run right now, by the database's clock?"""

    GOOD = "good"
    LAPSED = "lapsed"
    NONE = "none"


class Wake(StrEnum):
    """Does the run name a moment before which nobody may take it?"""

    NONE = "none"
    AHEAD = "ahead"
    PAST = "past"


@dataclass(frozen=True)
class Facts:
    """All that decides the word. `slow`: longer at this step than ever; `late`: past its promise;
    `seen`: a person has seen that it failed."""

    status: str
    lease: Lease = Lease.NONE
    wake: Wake = Wake.NONE
    tried: bool = False
    slow: bool = False
    late: bool = False
    seen: bool = False


@dataclass(frozen=True)
class Word:
    key: str
    text: str
    icon: str
    tone: str
    group: str
    sentence: str


class Group(StrEnum):
    """Whose turn it is: a person's, the machine's repair, the machine's work, nobody's."""

    ATTENTION = "attention"
    MENDING = "mending"
    ON_ITS_WAY = "on_its_way"
    FINISHED = "finished"
    OTHER = "other"


def _word(key: str, text: str, tone: str, group: Group, sentence: str, icon: str = "") -> Word:
    return Word(key, text, icon or key.replace("_", "-"), tone, group, sentence)


MOVING = _word("moving", "Moving", "moving", Group.ON_ITS_WAY, "A worker holds it and it advances as usual.")
SLOW = _word(
    "slow", "Slow", "amber", Group.ON_ITS_WAY, "A worker holds it, but this takes longer than usual."
)
WAITING = _word("waiting", "Waiting", "blue", Group.ON_ITS_WAY, "It waits for a time, a signal or a person.")
ON_HOLD = _word("on_hold", "On hold", "grey", Group.ON_ITS_WAY, "A person asked it to wait.")
QUEUED = _word("queued", "Queued", "grey", Group.MENDING, "It is ready and no worker holds it yet.")
RETRYING = _word(
    "retrying", "Retrying", "amber", Group.MENDING, "An attempt did not work; the next one has its time."
)
LOST = _word(
    "lost", "Lost its worker", "amber", Group.MENDING, "Its worker went silent; another will take it over."
)
IN_DOUBT = _word(
    "in_doubt",
    "In doubt",
    "doubt",
    Group.ATTENTION,
    "A call may have happened and nothing says whether it did.",
)
NEEDS_A_PERSON = _word(
    "needs_a_person", "Needs a person", "red", Group.ATTENTION, "It cannot go on by itself."
)
FAILED = _word(
    "failed",
    "Failed, unseen",
    "red",
    Group.ATTENTION,
    "A step gave up for good, and nobody has marked it seen.",
)
DONE = _word("done", "Done", "grey", Group.FINISHED, "Every step is finished.")
CANCELLED = _word("cancelled", "Cancelled", "grey", Group.FINISHED, "A person ended it before its last step.")
FAILED_SEEN = _word(
    "failed_seen",
    "Failed",
    "grey",
    Group.FINISHED,
    "A step gave up for good; a person has seen it.",
    "failed",
)
OTHER = _word("other", "Other", "grey", Group.OTHER, "Its status is not one that this version knows.")

WORDS = (
    IN_DOUBT,
    NEEDS_A_PERSON,
    FAILED,
    LOST,
    RETRYING,
    QUEUED,
    MOVING,
    SLOW,
    WAITING,
    ON_HOLD,
    DONE,
    CANCELLED,
    FAILED_SEEN,
    OTHER,
)
BY_KEY = {word.key: word for word in WORDS}

_FIXED = {
    Status.IN_DOUBT: IN_DOUBT,
    Status.HELD: ON_HOLD,
    Status.BLOCKED: NEEDS_A_PERSON,
    Status.DONE: DONE,
    Status.CANCELLED: CANCELLED,
}


def word_for(facts: Facts) -> Word:
    """The one word. A status of a newer or foreign worker is OTHER; it is never guessed at."""
    if facts.status in _FIXED:
        return _FIXED[Status(facts.status)]
    if facts.status == Status.FAILED:
        return FAILED_SEEN if facts.seen else FAILED
    if facts.status == Status.WAITING:
        return QUEUED if facts.wake == Wake.PAST else WAITING
    if facts.status not in (Status.PENDING, Status.STARTED):
        return OTHER
    if facts.lease == Lease.LAPSED:
        return LOST
    if facts.lease == Lease.GOOD:
        return SLOW if facts.slow or facts.late else MOVING
    return _nobody_holds(facts)


def _nobody_holds(facts: Facts) -> Word:
    """Pending or started, and no lease: its time is ahead, it is ready, or its worker left a call open."""
    if facts.wake == Wake.AHEAD:
        return RETRYING if facts.tried or facts.status == Status.STARTED else WAITING
    if facts.status == Status.STARTED and facts.wake == Wake.NONE:
        return LOST
    return QUEUED
