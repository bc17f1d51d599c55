"""The verbs of people in words: what is on a button, what was done, what was only wished."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What became of what a person tried."""

    DONE = "done"
    REFUSED = "refused"
    DENIED = "denied"

    @property
    def icon(self) -> str:
        return {"done": "done", "refused": "cancelled", "denied": "hidden"}[self.value]

    @property
    def tone(self) -> str:
        return {"done": "moving", "refused": "amber", "denied": "red"}[self.value]

    @property
    def sentence(self) -> str:
        return _OUTCOMES[self.value]


_OUTCOMES = {
    "done": "It was done.",
    "refused": "The run was not where it had been shown, so nothing was changed.",
    "denied": "None of the person's roles allows it, so nothing was changed.",
}


@dataclass(frozen=True)
class Deed:
    """`title` stands on the button."""

    title: str
    done: str
    wished: str


def _deed(title: str, done: str, wished: str) -> Deed:
    return Deed(title, done, f"Wanted to {wished}")


DEEDS: dict[str, Deed] = {
    "take_over": _deed("Take over", "Took over", "take over"),
    "hold": _deed("Hold at next step", "Put on hold", "put on hold"),
    "lift": _deed("Lift the hold", "Lifted the hold", "lift the hold"),
    "cancel": _deed("Cancel", "Cancelled", "cancel"),
    "flag": _deed("Flag in doubt", "Flagged in doubt", "flag in doubt"),
    "retry_failed": _deed("Try again", "Let it try again", "let it try again"),
    "mark_seen": _deed("Mark seen", "Marked seen", "mark seen"),
    "rewind": _deed("Rewind", "Sent back to an earlier step", "send back to an earlier step"),
    "reveal": _deed("Reveal", "Opened a hidden field", "open a hidden field"),
    "export": _deed("Export", "Exported a list of orders", "export a list of orders"),
    "run_note": _deed("Write a note", "Wrote a note", "write a note"),
    "nudge": _deed("Nudge", "Nudged", "nudge"),
    "signal": _deed("Answer", "Answered", "answer"),
    "batch_confirm": _deed("Act on several", "Acted on several orders", "act on several orders"),
    "emergency_hold": _deed("Emergency hold", "Placed an emergency hold", "place an emergency hold"),
    "lift_emergency_hold": _deed(
        "Lift the emergency hold", "Lifted an emergency hold", "lift an emergency hold"
    ),
    "mark_drain": _deed("Mark a drain", "Marked a drain", "mark a drain"),
    "end_drain": _deed("End the drain", "Ended a drain", "end a drain"),
}

# A kind of log row that a person caused -> what the person did.
BY_HAND: dict[str, str] = {
    "taken_over": "took it over",
    "held": "put it on hold",
    "lifted": "lifted the hold",
    "cancelled": "cancelled it",
    "flagged": "flagged it in doubt",
    "retried": "let it try again",
    "seen": "marked it seen",
    "rewound": "sent it back to an earlier step",
    "nudged": "nudged it",
    "signalled": "answered it",
    "resolved": "resolved its doubt",
    "edited": "changed it by hand in the database",
}
