"""Server-sent events as bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache

from runs.queries import Position

# A browser that lost the stream of itself waits this long; our script is usually quicker.
OPENED = b"retry: 2000\n: open\n\n"
STILL_HERE = b": still here\n\n"
END = b"event: end\ndata: \n\n"


def update(fragments: Iterable[str], position: Position) -> bytes:
    return _event("update", fragments, position)


def fresh(state: str, position: Position) -> bytes:
    return _event("fresh", [state], position)


def state(word: str, now: float, detail: str = "") -> str:
    """What the freshness chip shows: live or delayed, and the database's time."""
    return json.dumps({"state": word, "now": round(now, 3), "detail": detail})


def _event(name: str, parts: Iterable[str], position: Position) -> bytes:
    return b"event: %s\nid: %s\n%s\n" % (name.encode(), str(position).encode(), b"".join(map(_data, parts)))


@lru_cache(maxsize=4096)
def _data(text: str) -> bytes:
    """A fragment goes out as the same bytes to everybody who sees it."""
    # Every kind of line end parts a field; a lone carriage return would smuggle one in.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "".join(f"data: {line}\n" for line in lines).encode()
