"""What a start needs for itself alone: its data directory and its port."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.env import Refused

PATIENCE_SECONDS = 3


class ClaimRefused(Refused):
    """Something else has what this start needs."""


@contextmanager
def sole_supervisor(data: Path) -> Iterator[None]:
    """Hold the data directory against a second supervisor. The kernel frees it when this one is killed."""
    with (data / "supervisor").open("a+") as lock:
        lock.seek(0)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ClaimRefused(
                f"Leaseboard runs on {data} already, as process {lock.read().strip()}: "
                "stop that one, or set LEASEBOARD_DATA to another directory."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def demand_port(port: int) -> None:
    """Raise ClaimRefused if the port stays taken: the children of a killed supervisor need a moment to go."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not _is_free(port):
        if time.monotonic() > deadline:
            raise ClaimRefused(
                f"Port {port} is taken: stop what listens on it, or choose another, as in "
                f"`make demo PORT={port + 1}`."
            )
        time.sleep(0.1)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As uvicorn binds: connections of a server that just ended do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
