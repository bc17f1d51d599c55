"""A peer is a process of its own, in a virtual environment of its own, that runs a round when it is told to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PYTHON = Path(sys.prefix) / "peers" / "bin" / "python"
READY = "ready"


class PeerRefused(Exception):
    """A peer cannot run. The message is one sentence and names the remedy."""


class Peer:
    """The near end of the line: "<threads> <operations>" goes out, the operations per second come back."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def round(self, threads: int, operations: int) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{threads} {operations}\n")
        self._process.stdin.flush()
        return float(self.answer())

    def answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise PeerRefused(f"{' '.join(map(str, self._process.args))} ended: run it by hand to see why.")
        return line


@contextmanager
def peer(name: str, database_url: str, log: IO[str]) -> Iterator[Peer]:
    """Start bench/peers/<name>.py on an empty database. What it says on stderr goes to the log."""
    if not PYTHON.exists():
        raise PeerRefused(f"{PYTHON} is missing: `make bench` installs the peers.")
    process = subprocess.Popen(
        [PYTHON, "-m", f"bench.peers.{name}", database_url],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        near = Peer(process)
        while near.answer() != READY:
            pass
        yield near
    finally:
        process.stdin and process.stdin.close()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
