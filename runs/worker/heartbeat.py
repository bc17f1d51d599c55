"""The heartbeat: one thread with a connection of its own renews every lease of the process.

A failed beat means unknown, not lost: it is retried sooner, while each run's own deadline keeps any
new effect from starting. The heartbeat proves the process, not the step: a run whose effect is long
past its time-out, or whose pure step makes no progress, is no longer beaten for.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from typing import Any

import psycopg

from runs import db, engine
from runs.run import boottime
from runs.states import Kind
from runs.worker.drain import Drain
from runs.worker.process import Drive, Process

log = logging.getLogger("leaseboard.heartbeat")
RETRY_SECONDS = 1.0
# The beat's own statement may not hang on a server that accepts and says nothing.
STATEMENT_TIMEOUT_SECONDS = 8.0


class Heartbeat(threading.Thread):
    """Beats until it is stopped; ``stop`` comes last in a drain, after every run has been given back."""

    def __init__(self, process: Process, drain: Drain) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._process = process
        self._drain = drain
        self._stop_asked = threading.Event()
        self._wake = threading.Event()
        self._conn: psycopg.Connection[Any] | None = None
        self._pause = 0.0
        self._offset = 0.0

    def run(self) -> None:
        planned = boottime()
        while not self._stop_asked.is_set():
            self._pause = max(self._pause, boottime() - planned)
            wait = (
                self._process.heartbeat_seconds
                if self._beat()
                else min(RETRY_SECONDS, self._process.heartbeat_seconds)
            )
            planned = boottime() + wait
            if self._wake.wait(wait):
                self._wake.clear()
                planned = boottime()
        if self._conn is not None:
            self._conn.close()

    def stop(self) -> None:
        self._stop_asked.set()
        self._wake.set()
        self.join(timeout=STATEMENT_TIMEOUT_SECONDS)

    def beat_now(self) -> None:
        """Do not wait for the next turn: something changed that others should see."""
        self._wake.set()

    def _beat(self) -> bool:
        try:
            if self._conn is None or self._conn.closed:
                self._conn = db.connect(STATEMENT_TIMEOUT_SECONDS)
            self._renew(self._conn)
            self._report(self._conn)
        except psycopg.Error as error:
            log.warning(
                "heartbeat of %s has no answer: %s", self._process.writer.owner, str(error).partition("\n")[0]
            )
            self._drop()
            return False
        except Exception:
            log.exception("heartbeat of %s", self._process.writer.owner)
            return False
        return True

    def _drop(self) -> None:
        if self._conn is not None:
            self._conn.close()
        self._conn = None

    def _renew(self, conn: psycopg.Connection[Any]) -> None:
        drives = [drive for drive in self._process.held() if self._deserves(drive)]
        if not drives:
            return
        sent_at = boottime()
        found = db.execute(conn, "heartbeat", self._mine(drives))
        renewed = {row["run_id"] for row in found}
        for drive in drives:
            if drive.run_id in renewed:
                drive.renewed_at, drive.skipped_since = sent_at, None
            elif self._process.is_driving(drive.run_id):
                self._missing(conn, drive, sent_at)

    def _mine(self, drives: list[Drive]) -> dict[str, Any]:
        held = [drive.run for drive in drives if drive.run is not None]
        return {
            "run_ids": [run.run_id for run in held],
            "epochs": [run.epoch for run in held],
            "owner": self._process.writer.owner,
            "ttl": self._process.writer.ttl,
        }

    def _deserves(self, drive: Drive) -> bool:
        """A call may last its time-out and a TTL, a pure step its stall time, counted from its last item."""
        if drive.inside is None:
            return True
        since = max(drive.inside_since, drive.progress_at)
        return boottime() < since + drive.inside_limit

    def _missing(self, conn: psycopg.Connection[Any], drive: Drive, sent_at: float) -> None:
        """Locked by somebody's move, or lost? One read tells."""
        run = drive.run
        if run is None:
            return
        found = db.execute(conn, "lease_of", {"run_id": run.run_id})
        if found and found[0]["lease_owner"] == run.owner and found[0]["epoch"] == run.epoch:
            drive.skipped_since = drive.skipped_since or sent_at
            if sent_at - drive.skipped_since > self._process.writer.ttl / 2:
                self._beat_alone(conn, drive)
            return
        if not self._process.is_driving(drive.run_id) or drive.run is not run:
            return
        drive.lost = True
        silent = boottime() - drive.renewed_at
        where = (
            f"inside a call to {drive.inside['vendor'] or 'its step'}" if drive.inside else "between calls"
        )
        engine.report(
            Kind.LOSS_NOTICED,
            run,
            self._process.writer,
            f"Its worker found the run gone, silent for {silent:.0f} s, {where}.",
        )

    def _beat_alone(self, conn: psycopg.Connection[Any], drive: Drive) -> None:
        """Somebody has held this row's lock for half the TTL: wait for it briefly, and name them."""
        try:
            with db.impatient(conn, 1):
                db.execute(conn, "heartbeat_alone", self._mine([drive]))
            drive.renewed_at, drive.skipped_since = boottime(), None
        except psycopg.errors.LockNotAvailable:
            blockers = db.execute(conn, "blockers", {"run_id": drive.run_id})
            pids = ", ".join(str(row["pid"]) for row in blockers) or "unknown"
            log.warning("run %s: its row is locked since half the TTL by pid %s", drive.run_id, pids)

    def _report(self, conn: psycopg.Connection[Any]) -> None:
        process = self._process
        sent = time.time()
        claimed = process.last_claim_at
        params = {
            "owner": process.writer.owner, "pause": self._pause, "offset": self._offset, "inside": json.dumps(process.inside()),
            "acknowledged": process.acknowledged, "since_claim": boottime() - claimed if claimed is not None else None,
        }  # fmt: skip
        found = db.execute(conn, "beat", params)
        if not found:
            return
        self._offset = round((sent + time.time()) / 2 - found[0]["now"], 3)
        process.holds, process.holds_heard_at = found[0]["holds"], boottime()
        if found[0]["gone"]:
            db.execute(conn, "revive", {"owner": process.writer.owner})
        self._drain.follow(found[0]["draining"])
