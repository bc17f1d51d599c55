"""What a vendor remembers between calls: answers by key, bookings by reference."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .books import Books
from .houses import FINDABLE

REMEMBERED_HOURS = 25
# Bookings stay findable for a week, then the oldest go.
BOOKING_SECONDS = 7 * 86_400


@dataclass(slots=True)
class Remembered:
    at: float
    digest: str | None
    answer: dict[str, Any] | None

    @property
    def running(self) -> bool:
        return self.answer is None


class Memory:
    """Keys are a vendor's own: the same key at two vendors is two keys."""

    def __init__(self) -> None:
        self._keys: dict[tuple[str, str], Remembered] = {}
        self._bookings: dict[tuple[str, str], Remembered] = {}

    @classmethod
    def from_books(cls, folder: Path) -> Memory:
        """A restarted vendor still honours the keys it honoured before."""
        memory = cls()
        applied = [
            call
            for call in Books.load(folder, hours=REMEMBERED_HOURS).calls
            if call.applied_at and call.result
        ]
        for call in sorted(applied, key=lambda call: call.applied_at or call.received_at):
            at = (call.applied_at or call.received_at).timestamp()
            if call.key:
                memory._keys[call.vendor, call.key] = Remembered(at, call.digest, call.result)
            if call.reference and (call.vendor, call.action) in FINDABLE:
                memory._bookings[call.vendor, call.reference] = Remembered(at, None, call.result)
        return memory

    def known(self, vendor: str, key: str, memory_seconds: float) -> Remembered | None:
        found = self._keys.get((vendor, key))
        if found is None or (not found.running and _now() - found.at > memory_seconds):
            return None
        return found

    def begin(self, vendor: str, key: str, digest: str) -> None:
        _prune(self._keys, REMEMBERED_HOURS * 3600)
        self._keys[vendor, key] = Remembered(_now(), digest, None)

    def forget(self, vendor: str, key: str) -> None:
        """The call under this key ended without an effect: the key is free again."""
        found = self._keys.get((vendor, key))
        if found is not None and found.running:
            del self._keys[vendor, key]

    def keep(self, vendor: str, key: str, digest: str, answer: dict[str, Any]) -> None:
        self._keys[vendor, key] = Remembered(_now(), digest, answer)

    def keep_booking(self, vendor: str, reference: str, answer: dict[str, Any]) -> None:
        _prune(self._bookings, BOOKING_SECONDS)
        self._bookings.setdefault((vendor, reference), Remembered(_now(), None, answer))

    def booking(self, vendor: str, reference: str) -> dict[str, Any] | None:
        found = self._bookings.get((vendor, reference))
        return found.answer if found else None


def _prune(entries: dict[tuple[str, str], Remembered], seconds: float) -> None:
    # Dictionaries keep the order of insertion, so the oldest come first and a look at two is enough.
    for _ in range(2):
        oldest = next(iter(entries), None)
        if oldest is None or entries[oldest].running or _now() - entries[oldest].at < seconds:
            return
        del entries[oldest]


def _now() -> float:
    return datetime.now(UTC).timestamp()
