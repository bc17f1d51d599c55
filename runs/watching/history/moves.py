"""The newest rows of one run's log, read once for the timeline and the calls."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.states import REPORTS
from runs.watching import reads

# A run of nine steps has some twenty rows; one that was tried and taken over all day has these to show.
NEWEST = 300
TTL_SECONDS = 30.0


@dataclass(frozen=True)
class Moves:
    """Rows oldest first. `is_cut`: there are older ones that were not read."""

    rows: list[reads.Row]
    is_cut: bool


def moves(db: BaseDatabaseWrapper, run_id: str) -> Moves:
    found = reads.rows(db, "moves", {"run_id": run_id, "limit": NEWEST})
    return Moves(found[:NEWEST][::-1], len(found) > NEWEST)


def is_report(row: reads.Row) -> bool:
    """A row by which a worker that had lost the run tells something; it moves nothing."""
    return row["kind"] in REPORTS


def last_renewal(row: reads.Row) -> datetime | None:
    """When the lease that this row found lapsed had last been made good: one TTL before its expiry."""
    lapsed: datetime | None = row["lapsed_at"]
    return lapsed - timedelta(seconds=row["ttl_seconds"] or TTL_SECONDS) if lapsed else None


def money_of(row: reads.Row) -> tuple[Decimal, str] | None:
    """The amount that the start mark declares, with its currency."""
    return (row["amount"], row["currency"]) if row["amount"] is not None and row["currency"] else None


def names_of(owners: set[str]) -> dict[str, str]:
    """A short name for each owner. Processes of one host share theirs: then what tells them apart is added."""
    short = {owner: owner.partition("#")[0] for owner in owners}
    shared = {name for name in short.values() if list(short.values()).count(name) > 1}
    return {
        owner: f"{name} #{owner.partition('#')[2][:4]}" if name in shared and "#" in owner else name
        for owner, name in short.items()
    }
