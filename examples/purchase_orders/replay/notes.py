"""What the old code notes of its own work, so that its figures can be held against the vendors' books.

One file a process, one JSON line a fact, each by one write: a killed process leaves at most an unfinished line.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Notes:
    """Written by one worker process, from all its threads."""

    def __init__(self, folder: Path, owner: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = os.open(folder / f"{owner}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        # In the file the lines stand in the order of their times.
        self._lock = threading.Lock()

    def write(self, event: str, run_id: str, **facts: Any) -> None:
        with self._lock:
            line = {"at": time.time(), "event": event, "run_id": run_id, **facts}
            os.write(self._file, json.dumps(line, default=str).encode() + b"\n")


class Reader:
    """Reads the notes of all processes, each time only what is new."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[Path, int] = {}

    def news(self) -> Iterator[dict[str, Any]]:
        """Facts that came since the last call, by process and in its order; `owner` tells whose they are."""
        for path in sorted(self.folder.glob("*.jsonl")):
            with path.open("rb") as file:
                file.seek(self._read.get(path, 0))
                text = file.read()
            whole = text[: text.rfind(b"\n") + 1]
            self._read[path] = self._read.get(path, 0) + len(whole)
            for line in whole.splitlines():
                yield {**json.loads(line), "owner": path.stem}
