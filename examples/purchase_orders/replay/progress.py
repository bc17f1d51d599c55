"""One calm line that says how far the replay is; on anything but a terminal a line now and then."""

from __future__ import annotations

import time
from typing import IO

EVERY_SECONDS = 15.0


class Progress:
    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._terminal = out.isatty()
        self._said, self._said_at, self._stage = "", 0.0, ""
        self._began = time.monotonic()

    def say(self, stage: str, detail: str = "") -> None:
        line = f"{self._clock()}  {stage}{': ' if detail else ''}{detail}"
        if self._terminal:
            self._out.write(f"\r\x1b[2K{line}")
        elif stage != self._stage or time.monotonic() - self._said_at > EVERY_SECONDS:
            self._out.write(f"{line}\n")
            self._said_at = time.monotonic()
        self._stage = stage
        self._out.flush()

    def note(self, sentence: str) -> None:
        self.end()
        self._out.write(f"{sentence}\n")

    def end(self) -> None:
        if self._terminal:
            self._out.write("\r\x1b[2K")
            self._out.flush()

    def _clock(self) -> str:
        seconds = int(time.monotonic() - self._began)
        return f"{seconds // 60}:{seconds % 60:02d}"
