"""The viewers of this process, and what waits to be sent to each. No viewer holds a database connection."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field

from runs.queries import Position

from dashboard.live.watch import Watch


@dataclass(eq=False)
class Viewer:
    """One open stream. What waits is keyed by fragment: the newest rendering of each replaces an unsent one,
    so that a slow reader costs one page of memory and never a growing queue."""

    kind: str
    watch: Watch
    zone: str
    roles: frozenset[str] = frozenset()
    rights: frozenset[str] = frozenset()
    user_id: int = 0
    is_new: bool = True
    is_over: bool = False
    is_dismissed: bool = False
    prints: dict[str, str] = field(default_factory=dict)
    news: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _waiting: dict[str, str] = field(default_factory=dict)
    _fresh: str = ""
    _position: Position | None = None

    def __post_init__(self) -> None:
        self.prints = dict(self.watch.prints)
        self.shown = frozenset(self.watch.run_ids)
        self._loop = asyncio.get_running_loop()
        self.ready = asyncio.Event()

    def put(self, fragments: dict[str, str], position: Position, fresh: str = "") -> None:
        """Called by the tailer's thread."""
        with self._lock:
            self._waiting |= fragments
            self._fresh = fresh or self._fresh
            self._position = position
        self._wake()

    def end(self) -> None:
        self.is_over = True
        self._wake()

    def dismiss(self) -> None:
        """Close the connection without a word: whether it may be opened again is for the view to say."""
        self.is_dismissed = True
        self._wake()

    def take(self) -> tuple[list[str], str, Position | None]:
        """All that waits, and the position that it brings the viewer to."""
        self.ready.clear()
        with self._lock:
            fragments, fresh = list(self._waiting.values()), self._fresh
            self._waiting, self._fresh = {}, ""
            return fragments, fresh, self._position

    def _wake(self) -> None:
        # The loop is closed when the server stops between two ticks; then nobody waits any more.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.ready.set)


class Hub:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._viewers: set[Viewer] = set()

    def join(self, viewer: Viewer) -> None:
        with self._lock:
            self._viewers.add(viewer)

    def leave(self, viewer: Viewer) -> None:
        with self._lock:
            self._viewers.discard(viewer)

    def viewers(self) -> list[Viewer]:
        with self._lock:
            return list(self._viewers)
