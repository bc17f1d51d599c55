"""Two at once, ordered by locks: each side has a connection and a thread of its own, and nobody sleeps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

import psycopg

from runs import db
from tests.support.factories import ask

GIVE_UP_SECONDS = 10.0


class Side:
    """One session of a race: a connection whose transaction stays open until the test lets it go."""

    def __init__(self) -> None:
        self.conn: psycopg.Connection[Any] = db.connect()
        self.pid = self.conn.info.backend_pid
        # Whoever should skip a locked row and waits instead fails after a while, and does not hang.
        self.conn.execute("SET lock_timeout = '3s'")

    def run(self, name: str, **params: Any) -> list[db.Row]:
        return db.execute(self.conn, name, params)

    def send(self, name: str, **params: Any) -> Future[list[db.Row]]:
        """Send a statement from another thread; it may block on a lock."""
        return _in_thread(lambda: self.run(name, **params))

    @contextmanager
    def holding(self, run_id: str) -> Iterator[None]:
        """Keep the run's row locked, as an unfinished statement of another session would."""
        with self.conn.transaction():
            self.conn.execute("SELECT 1 FROM run_state WHERE run_id = %s FOR NO KEY UPDATE", [run_id])
            yield


@contextmanager
def sides(number: int = 2) -> Iterator[list[Side]]:
    opened = [Side() for _ in range(number)]
    try:
        yield opened
    finally:
        for side in opened:
            side.conn.close()


def _in_thread(call: Callable[[], Any]) -> Future[Any]:
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def at_once(call: Callable[[], Any]) -> Future[Any]:
    """Do this in a thread of its own, as a worker does."""
    return _in_thread(call)


def wait_until_blocked(pid: int) -> None:
    """Return once this session waits for a lock; its statement has reached the row by then."""
    _until(
        lambda: ask(
            "SELECT 1 FROM pg_stat_activity WHERE pid = %(pid)s AND wait_event_type = 'Lock'", pid=pid
        ),
        pid,
    )


def wait_until_one_is_blocked_by(pid: int) -> None:
    """Return once some session waits for a lock that this one holds."""
    _until(
        lambda: ask("SELECT 1 FROM pg_stat_activity WHERE %(pid)s = ANY (pg_blocking_pids(pid))", pid=pid),
        pid,
    )


def _until(seen: Callable[[], Any], pid: int) -> None:
    give_up = time.monotonic() + GIVE_UP_SECONDS
    while not seen():
        assert time.monotonic() < give_up, f"no session came to wait (pid {pid})"
