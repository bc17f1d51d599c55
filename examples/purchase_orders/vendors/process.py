"""Starts the vendors as a process of their own and reads what they wrote."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .books import Books

PROJECT = Path(__file__).resolve().parents[3]
START_SECONDS = 30


class VendorsDidNotStart(RuntimeError):
    """The vendor process ended or stayed silent before it named its URL."""


@dataclass
class Simulator:
    url: str
    books_dir: Path
    process: subprocess.Popen[str]

    def control(self, **settings: Any) -> dict[str, Any]:
        """Change what goes wrong; without settings, only read. Raises urllib's HTTPError where refused."""
        data = json.dumps(settings).encode() if settings else None
        with urllib.request.urlopen(
            urllib.request.Request(self.url + "/control", data=data), timeout=10
        ) as answer:
            return dict(json.load(answer))

    def books(self) -> Books:
        return Books.load(self.books_dir)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Ask it to end, and insist after five seconds."""
        self.process.terminate()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.kill()


@contextmanager
def start_simulator(
    speed: float = 1.0, books_dir: str | Path = "books", seed: int = 2026, port: int = 0, *extra: str
) -> Iterator[Simulator]:
    """Run the vendors for the length of the block. They also end when this process is killed.

    Workers need VENDOR_SIMULATOR_URL, and VENDOR_SPEED set before they import the workflow: their time-outs
    follow it.
    """
    given = {"port": port, "books": Path(books_dir).absolute(), "speed": speed, "seed": seed}
    options = [f"--{name}={value}" for name, value in given.items()]
    command = [sys.executable, "-m", __package__, *options, "--parent-pid", str(os.getpid()), *extra]
    process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    simulator = Simulator("", Path(books_dir).absolute(), process)
    try:
        simulator.url = _first_line(process)
        yield simulator
    finally:
        simulator.stop()
        if process.stdout is not None:
            process.stdout.close()


def _first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], START_SECONDS)
    line = process.stdout.readline().strip() if ready else ""
    if not line:
        raise VendorsDidNotStart(f"The vendors did not start within {START_SECONDS} s.")
    return line
