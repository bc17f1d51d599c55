"""Pages by key: the key of a page's last row, in a URL and back."""

from __future__ import annotations

import re

from runs.queries import Key

_KEY = re.compile(
    r"(-?infinity|\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d)?)~(.{1,200})", re.DOTALL
)


def printed(key: Key | None) -> str:
    return f"{key.created_at}~{key.run_id}" if key else ""


def parsed(text: str) -> Key | None:
    """None for anything that no page ever printed: it comes from a URL."""
    match = _KEY.fullmatch(text)
    return Key(match[1], match[2]) if match else None
