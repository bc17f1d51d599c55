"""One worker process: its name, the runs it drives, the calls it is inside, and its gate.

A run is driven once per process. Its id enters the table before its claim is sent and leaves after
its body has ended, so that a second message for it ends at once.
"""

from __future__ import annotations

import logging
import math
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from runs import catalogue, db
from runs.checks import require_lease_rule
from runs.fence import Writer
from runs.run import Run, boottime

log = logging.getLogger("leaseboard.worker")


@dataclass
class Drive:
    """One run under way in this process."""

    run_id: str
    run: Run | None = None
    lost: bool = False
    # Somebody else may go on, once this process has left the run: until then a message that came back to it
    # would be taken for a second one.
    offered: bool = False
    # When the last renewal that is known to be good was sent: the lease is trusted from the asking, not
    # from the answer.
    renewed_at: float = 0.0
    progress_at: float = 0.0
    skipped_since: float | None = None
    inside: dict[str, Any] | None = None
    inside_since: float = 0.0
    inside_limit: float = 0.0


@dataclass
class Process:
    """The state that drives, heartbeat and drain share."""

    writer: Writer
    heartbeat_seconds: float
    threads: int = 0
    vendors: str = "{}"
    holds: list[dict[str, str]] = field(default_factory=list)
    # When they were heard of, by our clock.
    holds_heard_at: float = math.inf
    gate_shut: threading.Event = field(default_factory=threading.Event)
    stopping: bool = False
    acknowledged: bool = False
    last_claim_at: float | None = None
    # Offers a run to the queue; set by whoever knows one.
    offer: Callable[[str], object] = lambda run_id: None
    # A claim looks whether this process holds a run that lost two workers already. Two at once would each
    # find none, and two such runs would die together: the healthy one would be blocked for the other.
    claiming: threading.Lock = field(default_factory=threading.Lock)
    _drives: dict[str, Drive] = field(default_factory=dict)
    _claiming: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def enter(self, run_id: str) -> Iterator[Drive | None]:
        """Enter a run into the table for the time of the block; None if it is there already or the gate is shut."""
        with self._lock:
            if run_id in self._drives or self.gate_shut.is_set():
                entered = None
            else:
                entered = self._drives[run_id] = Drive(run_id)
                self._claiming += 1
        try:
            yield entered
        finally:
            if entered is not None:
                with self._lock:
                    self._drives.pop(run_id, None)
                    if entered.run is None:
                        self._claiming -= 1
                if entered.offered:
                    self.offer(run_id)

    def claimed(self, drive: Drive, run: Run, sent_at: float) -> None:
        """The claim was answered: from here the heartbeat renews it."""
        with self._lock:
            drive.renewed_at = drive.progress_at = sent_at
            drive.run = run
            self._claiming -= 1
            self.last_claim_at = sent_at

    def held(self) -> list[Drive]:
        """The runs whose lease this process believes to hold."""
        with self._lock:
            return [drive for drive in self._drives.values() if drive.run is not None and not drive.lost]

    def inside(self) -> list[dict[str, Any]]:
        """The calls that this process is inside, leased or not."""
        now = boottime()
        with self._lock:
            return [
                {**drive.inside, "seconds": round(now - drive.inside_since, 1)}
                for drive in self._drives.values()
                if drive.inside is not None
            ]

    def is_driving(self, run_id: str) -> bool:
        with self._lock:
            return run_id in self._drives

    @property
    def settled(self) -> bool:
        """The gate is shut and every claim in flight has been answered."""
        with self._lock:
            return self.gate_shut.is_set() and self._claiming == 0

    @property
    def idle(self) -> bool:
        with self._lock:
            return not self._drives

    def may_send(self, drive: Drive) -> bool:
        """Our own deadline: no effect begins once the TTL has passed since the last good renewal was sent."""
        return not drive.lost and boottime() < drive.renewed_at + self.writer.ttl

    def stopped(self, workflow: str, step: str, vendor: str, looked_at: float) -> bool:
        """Is there an emergency hold against this, as of the last heartbeat's answer? A statement sent at
        looked_at has found none: what was heard before that has been lifted since."""
        return self.holds_heard_at > looked_at and any(
            hold["workflow"] in ("", workflow)
            and hold["step"] in ("", step)
            and hold["vendor"] in ("", vendor)
            for hold in self.holds
        )

    def reopen(self) -> None:
        """A person ended the drain: claim again, unless a SIGTERM has said for good."""
        if not self.stopping:
            self.acknowledged = False
            self.gate_shut.clear()


def new_process(threads: int) -> Process:
    """A process with a name of its own. Call it after any fork: the name must not be inherited.

    Raises ConfigurationRefused for a TTL under three heartbeats.
    """
    ttl, heartbeat = settings.LEASEBOARD_TTL_SECONDS, settings.LEASEBOARD_HEARTBEAT_SECONDS
    require_lease_rule(ttl, heartbeat)
    name = settings.LEASEBOARD_WORKER or socket.gethostname()
    owner = f"{name}#{os.urandom(3).hex()}"
    return Process(
        Writer(owner, settings.LEASEBOARD_BUILD, ttl), heartbeat, threads, catalogue.vendors_by_step()
    )


def register(process: Process) -> None:
    """Enter the process in the fleet and publish what its build knows."""
    for name, body in catalogue.published().items():
        db.rows("publish", workflow=name, build=process.writer.build, body=catalogue.as_json(body))
    writer = process.writer
    db.rows(
        "boot", owner=writer.owner, name=writer.owner.rpartition("#")[0], build=writer.build, host=socket.gethostname(),
        pod=settings.LEASEBOARD_POD, node=settings.LEASEBOARD_NODE, pid=os.getpid(), threads=process.threads,
        heartbeat=process.heartbeat_seconds, ttl=writer.ttl, grace=settings.LEASEBOARD_GRACE_SECONDS,
    )  # fmt: skip
    log.info("worker %s of build %s is on the board", process.writer.owner, process.writer.build)
