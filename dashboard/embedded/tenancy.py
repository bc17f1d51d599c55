"""Who uses the embedded servers. The first tenant starts them, the last one out stops them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from dashboard.embedded import place, postgres, valkey


@dataclass
class Tenancy:
    """A shared lock on <data>/tenants, kept while the servers are used.

    A lock and not a list of process numbers: the kernel takes it back from a tenant that is killed, and a
    number may be reused. Entering and leaving pass one by one through <data>/gate. A tenant that is killed
    leaves the servers running; the next one finds them, uses them and stops them.
    """

    data: Path
    lock: IO[str]
    owner: int
    database: bool
    broker: bool
    forgetful: bool

    @classmethod
    def enter(cls, data: Path, *, database: bool, broker: bool, forgetful: bool = False) -> Tenancy:
        """Start what is asked for and does not run yet. Raises EmbeddedRefused."""
        place.make(data)
        with _gate(data):
            lock = (data / "tenants").open("a")
            tenancy = cls(data, lock, os.getpid(), database, broker, forgetful)
            fcntl.flock(tenancy.lock, fcntl.LOCK_SH)
            try:
                tenancy._ensure()
            except BaseException:
                tenancy.lock.close()
                raise
        return tenancy

    def tend(self) -> list[str]:
        """Start again what has gone since, and name it. Raises EmbeddedRefused."""
        with _gate(self.data):
            return self._ensure()

    def _ensure(self) -> list[str]:
        started = []
        if self.database and postgres.ensure(self.data, forgetful=self.forgetful):
            started.append("PostgreSQL")
        if self.broker and valkey.ensure(self.data):
            started.append("Valkey")
        return started

    def leave(self) -> None:
        """Give up the lock; stop the servers if nobody else holds it. A forked child leaves nothing."""
        if self.lock.closed or os.getpid() != self.owner:
            return
        with _gate(self.data):
            fcntl.flock(self.lock, fcntl.LOCK_UN)
            with suppress(BlockingIOError):
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                valkey.stop(self.data)
                postgres.stop(self.data)
            self.lock.close()


@contextmanager
def _gate(data: Path) -> Iterator[None]:
    with (data / "gate").open("a") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        yield
