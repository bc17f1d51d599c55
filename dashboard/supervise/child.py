"""One supervised process: started, read, started again when it ends unasked, stopped."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dashboard import env
from dashboard.supervise import tether
from dashboard.supervise.console import Lines, say

LONGEST_PAUSE_SECONDS = 30
STEADY_SECONDS = 60
LONGEST_LINE_BYTES = 2**20


@dataclass
class Child:
    """A command and how long it may take to stop. `rank` orders the stop: lower ranks go first."""

    name: str
    command: list[str]
    rank: int
    stop_seconds: float
    leaving: asyncio.Event = field(default_factory=asyncio.Event)
    process: asyncio.subprocess.Process | None = None

    async def keep(self, logs: Path) -> None:
        """Run until told to stop. A child that ends unasked comes back after 1, 2, 4 … 30 seconds."""
        lines = Lines(self.name, logs)
        pause = 1
        while True:
            began = time.monotonic()
            status = await self._run(lines)
            if self.leaving.is_set():
                break
            pause = 1 if time.monotonic() - began > STEADY_SECONDS else pause
            lines.explain(f"ended {_ending(status)}; it starts again in {pause} s")
            with suppress(TimeoutError):
                await asyncio.wait_for(self.leaving.wait(), pause)
                break
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
        lines.close()

    async def stop(self) -> None:
        """Ask with SIGTERM, insist with SIGKILL."""
        self.leaving.set()
        if self.process is None:
            return
        self._signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self.process.wait(), self.stop_seconds)
        except TimeoutError:
            say(self.name, f"does not stop within {self.stop_seconds:g} s: killed")
            self.kill()

    def kill(self) -> None:
        self.leaving.set()
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.send_signal(number)

    async def _run(self, lines: Lines) -> int:
        self.process = await self._spawn()
        # A stop that came while the process was being made could not reach it.
        if self.leaving.is_set():
            self._signal(signal.SIGTERM)
        assert self.process.stdout is not None
        async for raw in self.process.stdout:
            lines.take(raw.decode("utf-8", "replace").rstrip("\n"))
        return await self.process.wait()

    async def _spawn(self) -> asyncio.subprocess.Process:
        # A session of its own: Ctrl-C reaches the supervisor alone, which stops its children in order.
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-S", "-E", tether.__file__, str(os.getpid())),
            *self.command,
            cwd=env.REPOSITORY,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            limit=LONGEST_LINE_BYTES,
        )


def _ending(status: int) -> str:
    return f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
