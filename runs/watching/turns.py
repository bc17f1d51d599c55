"""Whose turn it is: whom a run waits for, and what would become of the attempt under way."""

from __future__ import annotations

from runs.states import Guard
from runs.watching.plans import StepPlan
from runs.watching.reads import Row
from runs.words import (
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

# What another worker does with a started attempt, by the guard in its start mark.
IF_IT_DIED: dict[str, str] = {
    Guard.PURE: "begun again, costs nothing",
    Guard.KEYED: "sent again with its key, done once",
    Guard.PROBED: "the vendor is asked first",
    Guard.REPEAT_OK: "asked again, perhaps paid twice",
    Guard.UNPROTECTED: "in doubt, for a person",
}


def waiting_on(word: Word, step: StepPlan, row: Row) -> str:
    """Whom or what a run waits for, by name."""
    if word in (MOVING, SLOW):
        return step.vendor if step.guard != Guard.PURE and step.vendor else "Its worker"
    if word == WAITING:
        return _signal(row)
    fixed = {
        QUEUED: "A free worker",
        RETRYING: step.vendor or "Its next attempt",
        LOST: "Another worker",
        IN_DOUBT: step.decides.capitalize() or "A decision",
        NEEDS_A_PERSON: "Support",
        FAILED: "Support",
        ON_HOLD: "Whoever lifts it",
    }
    return fixed.get(word, "")


def _signal(row: Row) -> str:
    if row["signal"]:
        return f"{row['may'].capitalize()}: {row['signal']}" if row["may"] else str(row["signal"])
    return "Its time" if row["wake"] == "ahead" else "A signal"
