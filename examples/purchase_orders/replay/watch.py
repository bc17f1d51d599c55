"""How far the runs are, while they run: from the record, or from the old code's notes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psycopg

from examples.purchase_orders.replay.from_notes import unfinished
from examples.purchase_orders.replay.notes import Reader

# How long the old code's queue waits for a message to be taken before it sends it again.
INVISIBLE_SECONDS = 20.0


@dataclass(frozen=True)
class State:
    """taken counts the runs that some worker has ever held."""

    taken: int
    finished: int
    in_doubt: int
    stopped: int  # blocked, failed, held or cancelled: none of them goes on by itself

    @property
    def over(self) -> int:
        return self.finished + self.in_doubt + self.stopped


class Watch(Protocol):
    def state(self) -> State: ...
    def undelivered(self, dead: Iterable[int]) -> list[int]:
        """Numbers of the orders whose messages have to come again: their worker died, or nobody got them."""
        ...


class RecordWatch:
    STATE = """SELECT count(*) FILTER (WHERE epoch > 0), count(*) FILTER (WHERE status = 'done'),
        count(*) FILTER (WHERE status = 'in_doubt'),
        count(*) FILTER (WHERE status IN ('blocked', 'failed', 'held', 'cancelled')) FROM run_state"""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        self._conn = conn

    def state(self) -> State:
        row = self._conn.execute(self.STATE).fetchone()
        assert row is not None
        return State(*row)

    def undelivered(self, dead: Iterable[int]) -> list[int]:
        # A message is a hint here: what nobody moves, the sweep finds.
        return []


class NotesWatch:
    def __init__(self, folder: Path) -> None:
        self._reader = Reader(folder)
        self._facts: list[dict[str, Any]] = []
        self._pids: dict[int, str] = {}
        self._taken: dict[str, float] = {}
        self._finished: set[str] = set()
        self._sent: dict[int, float] = {}
        self._run_ids: dict[int, str] = {}

    def state(self) -> State:
        for fact in self._reader.news():
            if fact["event"] == "booted":
                self._pids[fact["pid"]] = fact["owner"]
            elif fact["event"] == "taken":
                self._taken[fact["run_id"]] = fact["at"]
                self._run_ids[fact["number"]] = fact["run_id"]
            elif fact["event"] == "finished":
                self._finished.add(fact["run_id"])
            if fact["event"] in ("taken", "finished", "failed"):
                self._facts.append(fact)
        return State(len(self._taken), len(self._finished), 0, 0)

    def undelivered(self, dead: Iterable[int]) -> list[int]:
        self.state()
        now = time.time()
        held = unfinished(self._facts) if (dead := list(dead)) else {}
        again = [number for pid in dead for number in held.get(self._pids.get(pid, ""), [])]
        again += [number for number, at in self._sent.items() if self._is_lost(number, at, now)]
        self._sent |= dict.fromkeys(again, now)
        return sorted(again)

    def _is_lost(self, number: int, sent_at: float, now: float) -> bool:
        """A worker that ends may be handed one more message and die with it: a queue notices by the time."""
        return self._taken[self._run_ids[number]] < sent_at < now - INVISIBLE_SECONDS
