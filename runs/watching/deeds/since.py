"""What changed since a person looked, for the answer that nothing was done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from runs.acting.ticket import Ticket
from runs.acting.words import BY_HAND
from runs.states import TERMINAL
from runs.watching.rows import Line
from runs.watching.run import RunPage
from runs.watching.sentences import Entry

_SHOWN = 8


@dataclass(frozen=True)
class Since:
    """`who` did the newest thing by hand, `moves` are the differences, `entries` the rows of the log, newest first."""

    ticket: Ticket
    line: Line
    entries: list[Entry]

    @property
    def at(self) -> datetime:
        return self.ticket.at

    @property
    def by_hand(self) -> Entry | None:
        """The newest thing that a person did to it since."""
        return next((entry for entry in self.entries if entry.row.get("actor")), None)

    @property
    def did(self) -> str:
        """What that person did, to stand behind the name."""
        by_hand = self.by_hand
        return BY_HAND.get(by_hand.kind, "changed it") if by_hand else ""

    @property
    def moves(self) -> list[str]:
        """epoch 7 → 8, owner worker-23."""
        row, ticket, plan = self.line.row, self.ticket, self.line.plan
        told = []
        if row["epoch"] != ticket.epoch:
            told.append(f"epoch {ticket.epoch} → {row['epoch']}")
        if row["step"] != ticket.step:
            told.append(f"step “{plan.step(ticket.step).title}” → “{plan.step(row['step']).title}”")
        if row["status"] != ticket.status:
            told.append(f"status {_spoken(ticket.status)} → {_spoken(row['status'])}")
        if told:
            told.append(f"owner {(row['lease_owner'] or '').partition('#')[0] or 'nobody'}")
        return told

    @property
    def finished_at(self) -> datetime | None:
        """When it came to its end, if it did since."""
        row = self.line.row
        ended: datetime | None = row["updated_at"] if row["status"] in TERMINAL else None
        return ended if ended and ended > self.at else None


def since(page: RunPage, ticket: Ticket) -> Since:
    """The newest rows of the log that the person had not seen."""
    fresh = [entry for entry in page.log.entries if entry.id > ticket.log_id]
    return Since(ticket, page.line, fresh[:_SHOWN])


def _spoken(status: str) -> str:
    return status.replace("_", " ") or "none"
