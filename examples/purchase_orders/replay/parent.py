"""The leading process's end of the nursery: fork a role, send a signal, hear of deaths."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from examples.purchase_orders.vendors.process import PROJECT

START_SECONDS = 60.0
END_SECONDS = 10.0


class NurseryEnded(RuntimeError):
    """The parent of the workers is gone; its log tells why."""


@dataclass(frozen=True)
class Death:
    pid: int
    at: float
    code: int


class Parent:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process = process
        self._out, self._in = process.stdin.fileno(), process.stdout.fileno()
        self._rest = b""
        self._forks = 0
        self._heard: list[dict[str, Any]] = []
        self._deaths: list[Death] = []

    def fork(self, role: str, **given: Any) -> int:
        """A child in this role; its process id."""
        # Numbered: whoever interrupts us may leave the answer to an earlier fork unread.
        self._forks += 1
        self._tell(role=role, given=given, fork=self._forks)
        return int(self._answer({"fork": self._forks}, START_SECONDS)["forked"])

    def send(self, pid: int, signal: int) -> None:
        """Signal a child; one that is gone already is left in peace."""
        self._tell(pid=pid, signal=int(signal))

    def deaths(self, seconds: float) -> list[Death]:
        """Wait that long, or until somebody died, and return who."""
        end = time.monotonic() + seconds
        while not self._deaths and (left := end - time.monotonic()) > 0:
            self._listen(left)
        found, self._deaths = self._deaths, []
        return found

    def wait_ready(self) -> None:
        self._answer({"ready": True}, START_SECONDS)

    def _tell(self, **command: Any) -> None:
        try:
            os.write(self._out, json.dumps(command).encode() + b"\n")
        except BrokenPipeError:
            raise NurseryEnded("The parent of the workers has ended.") from None

    def _answer(self, wanted: dict[str, Any], seconds: float) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while (fact := next((fact for fact in self._heard if wanted.items() <= fact.items()), None)) is None:
            left = end - time.monotonic()
            if left <= 0:
                raise NurseryEnded(f"The parent of the workers was silent for {seconds:.0f} s.")
            self._listen(left)
        self._heard.remove(fact)
        return fact

    def _listen(self, seconds: float) -> None:
        ready, _, _ = select.select([self._in], [], [], seconds)
        if not ready:
            return
        chunk = os.read(self._in, 65536)
        if not chunk:
            raise NurseryEnded("The parent of the workers has ended.")
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for fact in map(json.loads, lines):
            if "died" in fact:
                self._deaths.append(Death(fact["died"], fact["at"], fact["code"]))
            else:
                self._heard.append(fact)

    def close(self) -> None:
        """End the whole family: the nursery kills its children when its input ends."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


@contextmanager
def parent(which: str, environment: dict[str, str]) -> Iterator[Parent]:
    """The preloaded parent for the length of the block; its children end with it."""
    command = [sys.executable, "-m", "examples.purchase_orders.replay.nursery", which]
    process = subprocess.Popen(
        command, cwd=PROJECT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    running = Parent(process)
    try:
        running.wait_ready()
        yield running
    finally:
        running.close()
