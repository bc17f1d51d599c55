"""What the supervisor says, one line an event, and which of a child's lines deserve the terminal."""

from __future__ import annotations

import logging
import re
from collections import deque
from logging.handlers import RotatingFileHandler
from pathlib import Path

WIDTH = 12
LOG_BYTES = 10_000_000

# Ours begin with a time and a level, uvicorn's with a level and a colon.
HEADER = re.compile(r"^(?:\d{4}-\d\d-\d\d \S+ )?(DEBUG|INFO|WARNING|ERROR|CRITICAL)[: ]")
LOUD = {"WARNING", "ERROR", "CRITICAL"}


def say(name: str, text: str) -> None:
    print(f"{name:<{WIDTH}}{text}".rstrip(), flush=True)


class Lines:
    """A child's output: every line to its file, warnings and what follows them to the terminal as well."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.path = folder / f"{name}.log"
        self._file = RotatingFileHandler(self.path, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8")
        self._last: deque[str] = deque(maxlen=5)
        self._told: list[str] = []
        self._loud = False

    def take(self, line: str) -> None:
        self._file.emit(logging.makeLogRecord({"msg": line}))
        if header := HEADER.match(line):
            self._loud = header.group(1) in LOUD
        if self._loud:
            say(self.name, line)
        else:
            self._last.append(line)

    def explain(self, event: str) -> None:
        """Say what happened to the child, after its last lines unless they were shown before."""
        last = list(self._last)
        if last != self._told:
            for line in last:
                say(self.name, line)
        self._told = last
        self._last.clear()
        self._loud = False
        say(self.name, f"{event} (all its lines: {self.path})")

    def close(self) -> None:
        self._file.close()
