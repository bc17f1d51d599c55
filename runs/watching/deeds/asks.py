"""What a waiting run asks of people: a signal by its name, of those who have a role."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.states import Status
from runs.watching import reads
from runs.watching.rows import Line

_YES_OR_NO = "approve"


@dataclass(frozen=True)
class Ask:
    """One question: `name` as the step gave it, `may` the role that answers, or empty for whoever acts on orders."""

    name: str
    may: str
    step: str
    generation: int

    @property
    def title(self) -> str:
        """The button: the signal's name as one says it."""
        return self.name.replace("_", " ").strip().capitalize() or "Answer"

    @property
    def has_no(self) -> bool:
        """A signal that approves may also be answered with a no."""
        return self.name.partition("_")[0].startswith(_YES_OR_NO)

    @property
    def waits_for(self) -> str:
        return f"waits for {self.may.capitalize()}" if self.may else "waits for an answer"


def ask_of(line: Line) -> Ask | None:
    """What the run asks now, if it does."""
    row = line.row
    if row["status"] != Status.WAITING or not row["signal"]:
        return None
    return Ask(row["signal"], row["may"] or "", row["step"], row["generation"])


def was_asked(db: BaseDatabaseWrapper, run_id: str, ask: Ask) -> Ask | None:
    """The same question with the role that was asked for it, also where the run has gone on since."""
    params = {"run_id": run_id, "name": ask.name, "step": ask.step, "generation": ask.generation}
    found = reads.row(db, "was_asked", params)
    return Ask(ask.name, found["may"] or "", ask.step, ask.generation) if found else None
