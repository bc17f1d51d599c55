"""Who acts, on which run as they saw it, and the answer that nothing was changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from runs import db
from runs.errors import LeaseboardError


@dataclass(frozen=True)
class Shown:
    """The run as the person saw it, at the database's time `at`: what a verb compares before it changes anything."""

    run_id: str
    epoch: int
    cursor: dict[str, Any]
    at: datetime | None = None


@dataclass(frozen=True)
class Actor:
    """Who does it, in which role, why, and where. Name and reason go into the log with the change; all of it
    into the audit."""

    name: str
    reason: str = ""
    role: str = ""
    via: str = "shell"


class NotDone(LeaseboardError):
    """Nothing was changed: the run is not where it was shown, or not in a state for this."""

    now: db.Row | None


class Busy(NotDone):
    """Nothing was changed: another session holds the run's row and did not let go in time."""
