"""A drain in a worker process: shut the gate, let runs reach a boundary, acknowledge, and leave.

The order is the point: the gate first, then the heartbeat goes on while each run reaches its next
boundary and is given back, and only then does the heartbeat stop. SIGTERM is for good; a drain that
a person marked can end, and the process claims again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

import psycopg

from runs import db
from runs.worker.process import Process

log = logging.getLogger("leaseboard.drain")
POLL_SECONDS = 0.05


class Drain:
    """Follows the drains that bind this process. ``consume`` stops and resumes taking messages."""

    def __init__(self, process: Process, consume: Callable[[bool], None]) -> None:
        self._process = process
        self._consume = consume
        self._lock = threading.Lock()

    def follow(self, draining: bool) -> None:
        """What the heartbeat's answer says. Called from the heartbeat's thread."""
        if draining and not self._process.gate_shut.is_set():
            log.info("%s is bound by a drain and claims nothing more", self._process.writer.owner)
            self._close_gate()
            self._acknowledge_in_background()
        elif not draining and self._process.gate_shut.is_set() and not self._process.stopping:
            log.info("the drain of %s has ended; it claims again", self._process.writer.owner)
            self._process.reopen()
            self._consume(True)
        elif draining and not self._process.acknowledged:
            self._acknowledge_in_background()

    def sigterm(self) -> None:
        """Called once the process was told to end; the database may be slow, so not in the signal handler."""
        self._process.stopping = True
        self._close_gate()
        try:
            db.rows("sigterm", owner=self._process.writer.owner)
        except psycopg.Error as error:
            log.warning("the SIGTERM of %s could not be noted: %s", self._process.writer.owner, error)
        self._acknowledge_in_background()

    def _close_gate(self) -> None:
        self._process.gate_shut.set()
        self._consume(False)

    def _acknowledge_in_background(self) -> None:
        threading.Thread(target=self._acknowledge, name="acknowledge", daemon=True).start()

    def _acknowledge(self) -> None:
        with self._lock:
            if self._process.acknowledged:
                return
            while not self._process.settled:
                if not self._process.gate_shut.is_set():
                    return
                time.sleep(POLL_SECONDS)
            try:
                db.rows("acknowledge", owner=self._process.writer.owner)
                self._process.acknowledged = True
            except psycopg.Error as error:
                log.warning("%s could not acknowledge its drain: %s", self._process.writer.owner, error)
