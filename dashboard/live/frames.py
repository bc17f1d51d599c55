"""Server-sent events as bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable

from runs.queries import Position

# A browser that lost the stream of itself waits this long; our script is usually quicker.
OPENED = b"retry: 2000\n: open\n\n"
STILL_HERE = b": still here\n\n"
END = b"event: end\ndata: \n\n"


def update(fragments: Iterable[str], position: Position) -> bytes:
    return _event("update", "\n".join(fragments), position)


def fresh(state: str, position: Position) -> bytes:
    return _event("fresh", state, position)


def state(word: str, now: float, detail: str = "") -> str:
    """What the freshness chip shows: live or delayed, and the database's time."""
    return json.dumps({"state": word, "now": round(now, 3), "detail": detail})


def _event(name: str, data: str, position: Position) -> bytes:
    # Every kind of line end parts a field; a lone carriage return would smuggle one in.
    lines = data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    body = "".join(f"data: {line}\n" for line in lines)
    return f"event: {name}\nid: {position}\n{body}\n".encode()
