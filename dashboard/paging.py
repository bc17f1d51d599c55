"""Pages by key: the key of a page's last row, in a URL and back."""

from __future__ import annotations

from datetime import datetime

from runs.queries import Key

_NEVER = ("infinity", "-infinity")


def printed(key: Key | None) -> str:
    return f"{key.sort}~{key.created_at}~{key.run_id}" if key else ""


def parsed(text: str) -> Key | None:
    """None for anything that no page ever printed: it comes from a URL."""
    parts = text.split("~", 2)
    if len(parts) < 3 or "\0" in text:
        return None
    sort, created_at, run_id = parts
    is_printed = _is_moment(sort) and _is_moment(created_at) and 0 < len(run_id) <= 200
    return Key(sort, created_at, run_id) if is_printed else None


def _is_moment(text: str) -> bool:
    if text in _NEVER:
        return True
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
