"""Reading the log as it grows, at positions that lose nothing.

Ids are handed out before their transactions commit, so a reader that remembers the last id would pass over
a slower one. The tail is read below the oldest transaction that is still open, in the order (incarnation,
xid, id): whatever commits later stands above the mark.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.watching import reads

BATCH = 5_000
HELD_BACK_SECONDS = 2


@dataclass(frozen=True, order=True)
class Position:
    """A place in the log. Prints as 1-8123-55 and reads back."""

    incarnation: int
    xid: int
    id: int = 0

    def __str__(self) -> str:
        return f"{self.incarnation}-{self.xid}-{self.id}"

    @classmethod
    def parse(cls, text: str) -> Position | None:
        """None for anything that is not a position: it comes from a URL."""
        parts = text.split("-")
        if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts):
            return None
        return cls(*map(int, parts))


@dataclass(frozen=True)
class Moved:
    """A row of the log, as the tail needs it."""

    position: Position
    run_id: str
    kind: str


def position(db: BaseDatabaseWrapper) -> tuple[Position, datetime]:
    """Where a page stands that reads its rows after this call, and the database's time."""
    r = reads.rows(db, "position")[0]
    return _position(r), r["now"]


def moved_since(db: BaseDatabaseWrapper, after: Position, limit: int = BATCH) -> list[Moved]:
    """Rows after `after` that no open transaction can still precede, in order."""
    params = {"incarnation": after.incarnation, "xid": after.xid, "id": after.id, "limit": limit}
    return [Moved(_position(r), r["run_id"], r["kind"]) for r in reads.rows(db, "tail", params)]


def held_back(db: BaseDatabaseWrapper, incarnation: int) -> dict[str, Any] | None:
    """Since when a long transaction keeps rows from the tail, and its process; None if none does."""
    return reads.row(db, "held_back", {"incarnation": incarnation, "seconds": HELD_BACK_SECONDS})


def _position(r: reads.Row) -> Position:
    return Position(r["incarnation"], r["xid"], r["id"])
