"""A run as the worker that claimed it sees it: the row, and the cursor it left behind."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from runs.states import Status


def boottime() -> float:
    """Seconds that also count while the machine is suspended: the clock a lease is trusted by."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass
class Run:
    """What a claim returned. ``cursor`` follows every write of ours: it is what the fence expects."""

    run_id: str
    workflow: str
    owner: str
    epoch: int
    cursor: dict[str, Any]
    completed: dict[str, Any]
    input: dict[str, Any]
    generation: int
    entered_generation: int
    first_started_at: datetime | None
    may_send_until: datetime | None
    signals: dict[str, Any]
    claimed_at: datetime
    claimed_by_our_clock: float = field(default_factory=boottime)
    # Its size_in_row when it was claimed, and what was committed since.
    completed_chars: int = 0

    @property
    def step(self) -> str:
        return str(self.cursor.get("step", ""))

    @property
    def status(self) -> str:
        return str(self.cursor.get("status", ""))

    @property
    def attempt(self) -> int:
        value = self.cursor.get("attempt")
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def now(self) -> datetime:
        """The database's time, reckoned from the claim: no other clock decides anything here."""
        return self.claimed_at + timedelta(seconds=boottime() - self.claimed_by_our_clock)

    def key(self, item: str | None = None) -> str:
        """The idempotency key of a call: the same for every attempt, epoch and owner of one intended doing."""
        return call_key(self.run_id, self.step, item, self.generation)

    def onward(self, status: Status, **changes: Any) -> dict[str, Any]:
        """The same position with another status."""
        return {**self.cursor, "status": status.value, **changes}


def call_key(run_id: str, step: str, item: str | None, generation: int) -> str:
    """The key of a call to a vendor, also for who reads the record later: step is the first name."""
    parts = (run_id, step, item or "", str(generation))
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:40]


def size_in_row(completed: dict[str, Any]) -> int:
    """Characters, near enough, of the results that a row holds. A pointer counts, not what it points to."""
    return sum(len(str(value)) for value in completed.values())


def mark(step: str, status: Status, attempt: int, **more: Any) -> dict[str, Any]:
    """A cursor. Keys without a value are left out, except item, which the record always names."""
    kept = {name: value for name, value in more.items() if value is not None and name != "item"}
    return {"step": step, "status": status.value, "attempt": attempt, "item": more.get("item"), **kept}
