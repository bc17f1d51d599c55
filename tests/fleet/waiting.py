"""Waiting on what can be observed, with a deadline; never for a time that should be enough."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
POLL_SECONDS = 0.05


def until(look: Callable[[], T], what: str, seconds: float = 20.0) -> T:
    """What look returns as soon as that is true. Fails with a sentence when the time is up."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {seconds:g} s until {what}; the last look found {found!r}.")
        time.sleep(POLL_SECONDS)
