"""Makes runs in the database, a chunk a transaction: set-based, with the record's triggers off and their rows made beside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import errors

from runs import db, tally
from runs.errors import LeaseboardError
from runs.loading.plan import BUYERS, STATUSES, SUPPLIERS, plan

CHUNK = 20_000
YEARS_SECONDS = 2 * 365 * 86400.0
UNFINISHED_SHARE, UNFINISHED_MAX = 0.02, 2000
PARTS = ("numbers", "runs", "moves", "log", "labels", "cases", "seen")


class LoadRefused(LeaseboardError):
    """These runs cannot be made here."""


def load(runs: int, seed: int, workflow: str, log_days: int, unfinished: int | None = None) -> Iterator[int]:
    """Make the runs, and yield after each chunk how many there are. Raises LoadRefused.

    The log reaches back log_days; older runs have none, as if their months had been retired.
    Of the runs, `unfinished` have not ended; without it two in a hundred, and 2,000 at most.
    """
    found = db.rows("loading/beside", seed=str(seed))[0]
    if found["workers"]:
        raise LoadRefused(
            f"{found['workers']} workers are at work on this database, and would take these runs for real ones: stop them first."
        )
    if found["loaded"]:
        raise LoadRefused(f"The runs of seed {seed} are there already: choose another --seed.")
    chosen = plan(workflow)
    if unfinished is None:
        unfinished = min(UNFINISHED_MAX, max(1, round(runs * UNFINISHED_SHARE)))
    params: dict[str, Any] = {
        "seed": str(seed), "workflow": chosen.workflow, "steps": chosen.steps, "guards": chosen.guards, "buyers": BUYERS,
        "suppliers": SUPPLIERS, "statuses": [str(status) for status in STATUSES],
        "age_seconds": YEARS_SECONDS, "log_days": log_days,
        "unfinished_from": runs - min(unfinished, runs) + 1,
    }  # fmt: skip
    with db.connect() as conn:
        _without_triggers(conn)
        db.execute(conn, "loading/cursor", {})
        db.execute(conn, "loading/months", params)
        for first in range(1, runs + 1, CHUNK):
            last = min(first + CHUNK - 1, runs)
            with conn.transaction():
                for part in PARTS:
                    db.execute(conn, f"loading/{part}", params | {"first": first, "last": last})
            yield last
        db.execute(conn, "loading/analyze", {})
    tally.count_anew()


def _without_triggers(conn: psycopg.Connection[Any]) -> None:
    try:
        db.execute(conn, "loading/triggers_off", {})
    except errors.InsufficientPrivilege:
        raise LoadRefused(
            "Loading switches the record's triggers off for its own session, which takes a superuser: connect as one, "
            "or unset DATABASE_URL for the embedded server."
        ) from None
