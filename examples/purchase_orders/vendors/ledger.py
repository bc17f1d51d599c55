"""Writes the books: one JSON line per fact, handed to the kernel before the vendor goes on.

A line reaches the file by one write on a descriptor opened for appending, so a killed process leaves at
most the last line unfinished, and only facts that nobody has been told yet.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

PATTERN = "books-*.jsonl"


class Ledger:
    def __init__(self, folder: Path, keep_hours: int | None = None) -> None:
        self.folder = folder
        self.keep = timedelta(hours=keep_hours) if keep_hours else None
        self.counts = {"received": 0, "applied": 0, "answered": 0}
        # A restarted process must not reuse the call numbers of the one before it.
        self._boot = os.urandom(4).hex()
        self._hour = ""
        self._file = -1
        folder.mkdir(parents=True, exist_ok=True)

    def next_call(self) -> str:
        return f"{self._boot}-{self.counts['received'] + 1}"

    def write(self, event: str, call: str, **facts: Any) -> None:
        now = datetime.now(UTC)
        line = {"event": event, "call": call, "at": now.isoformat(timespec="microseconds")}
        line |= {name: value for name, value in facts.items() if value is not None}
        os.write(self._file_for(now), json.dumps(line, ensure_ascii=False, default=str).encode() + b"\n")
        self.counts[event] += 1

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _file_for(self, now: datetime) -> int:
        hour = now.strftime("%Y-%m-%dT%H")
        if hour != self._hour:
            self.close()
            self._hour = hour
            self._file = _opened(self.folder / f"books-{hour}.jsonl")
            self._drop_old(now)
        return self._file

    def _drop_old(self, now: datetime) -> None:
        if self.keep is None:
            return
        oldest = (now - self.keep).strftime("books-%Y-%m-%dT%H.jsonl")
        for path in self.folder.glob(PATTERN):
            if path.name < oldest:
                path.unlink(missing_ok=True)


def _opened(path: Path) -> int:
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    size = os.fstat(file).st_size
    # A line that a killed predecessor left unfinished must not swallow the next one.
    if size and os.pread(file, 1, size - 1) != b"\n":
        os.write(file, b"\n")
    return file
