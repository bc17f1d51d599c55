"""Processes that a scene starts: each writes into a file of its own and never outlives the tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from dashboard.supervise import tether
from tests.fleet.waiting import until

ROOT = Path(__file__).resolve().parents[2]


class Process:
    """One child. Its thread of the test must live as long as it does: that is whom the kernel watches."""

    def __init__(self, name: str, command: list[str], env: dict[str, str], folder: Path) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as log:
            self.popen = subprocess.Popen(
                [sys.executable, "-S", tether.__file__, str(os.getpid()), *command],
                cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip

    @property
    def pid(self) -> int:
        return self.popen.pid

    @property
    def alive(self) -> bool:
        return self.popen.poll() is None

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def tail(self, lines: int = 15) -> str:
        return "\n".join([f"--- {self.name}, status {self.popen.poll()}", *self.said().splitlines()[-lines:]])

    def terminate(self) -> None:
        self.popen.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()

    def ended(self, seconds: float = 20) -> int:
        """Wait for its end, and say its exit status."""
        return int(
            until(lambda: (self.popen.poll(),) if not self.alive else None, f"{self.name} ends", seconds)[0]
        )


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]
