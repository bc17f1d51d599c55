"""How many runs have ended, kept beside the runs, so that no page counts years."""

from __future__ import annotations

from runs import db

PAGE = 20_000
# A load with the triggers off, or a hand in the database, makes runs that the log does not tell of.
ANEW_SECONDS = 86_400.0


def fold() -> int:
    """Fold into the tally what the log has gained. Returns the rows read; safe twice at once.

    The first fold of a database, and one a day, counts the ended runs themselves: a second or two at millions.
    """
    read: int = 0
    while True:
        found = db.one("tally", page=PAGE)
        if found is None or found["counted_before"] > ANEW_SECONDS:
            count_anew(ANEW_SECONDS)
            return read
        read += int(found["read"])
        if found["read"] < PAGE:
            return read


def count_anew(if_older_than: float = 0.0) -> None:
    """Count the ended runs from their rows, unless that was done within so many seconds."""
    db.rows("tally_anew", every=if_older_than)
