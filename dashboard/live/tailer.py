"""The one reader of the log in a web process: a thread with one connection of its own.

It tails the log, and every two seconds looks at the runs on anybody's screen, since renewals, items and
the mere passing of time write no log row. What changed is rendered once and handed to all who look at it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from runs.queries import Line, Moved, Orders, Runs, held_back, moved_since, plans, position, stops

from dashboard.live import frames, judging, listing, rendering
from dashboard.live.hub import Hub, Viewer

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.3
LOOK_SECONDS = 2.0
FRESH_SECONDS = 5.0
IDLE_SECONDS = 20.0
STATEMENT_MS = 10_000
RECENT = MISSED = 2_000


class Tailer:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()

    def ensure(self) -> None:
        """Start it with the first viewer; it stops of itself when the last has been gone for a while."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._stopped.clear()
                self._thread = threading.Thread(target=self._run, name="tailer", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End it and wait until its connection is closed."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _goes_on(self, seen_at: float) -> bool:
        return not self._stopped.is_set() and time.monotonic() - seen_at < IDLE_SECONDS

    def _run(self) -> None:
        seen_at = time.monotonic()
        while self._goes_on(seen_at):
            db = own_connection()
            # What this thread asks of the dashboard's own tables goes over the same connection.
            connections["default"] = db
            try:
                seen_at = self._follow(db, seen_at)
            except Exception:
                # Mostly a database that went away. Whatever it is, every viewer of this process hangs on this
                # thread: they keep what they see, the age on their chip tells them, and it tries again.
                logger.warning("The tailer could not read and tries again.", exc_info=True)
                self._stopped.wait(1)
            finally:
                db.close()
                del connections["default"]

    def _follow(self, db: BaseDatabaseWrapper, seen_at: float) -> float:
        tail = Tail(db)
        while self._goes_on(seen_at):
            began = time.monotonic()
            if viewers := self._hub.viewers():
                seen_at = began
                tail.tick(viewers)
            self._stopped.wait(max(0.02, TICK_SECONDS - (time.monotonic() - began)))
        return seen_at


def own_connection() -> BaseDatabaseWrapper:
    """Outside the pool: it is kept for hours, and the pool is sized for requests."""
    db = connections["default"].copy()
    options = db.settings_dict["OPTIONS"]
    options.pop("pool", None)
    # A read that does not end would leave every viewer without news; it is given up and tried again.
    options["options"] = f"{options.get('options', '')} -c statement_timeout={STATEMENT_MS}".strip()
    return db


class Tail:
    """Where the tailer stands, and what it does at each tick."""

    def __init__(self, db: BaseDatabaseWrapper) -> None:
        self._db = db
        self._position, _ = position(db)
        self._known_from = self._position
        self._recent: list[Moved] = []
        self._looked_at = self._counted_at = self._told_at = 0.0
        self._told = ""

    def tick(self, viewers: list[Viewer]) -> None:
        moved = moved_since(self._db, self._position)
        if moved:
            self._position = moved[-1].position
            self._remember(moved)
        clock = time.monotonic()
        looks = clock - self._looked_at >= LOOK_SECONDS
        if looks:
            self._looked_at = clock
        self._serve(viewers, moved, looks)
        self._tell(viewers, looks, clock)
        for viewer in viewers:
            viewer.is_new = False

    def _remember(self, moved: list[Moved]) -> None:
        recent = self._recent + moved
        if len(recent) > RECENT:
            self._known_from = recent[-RECENT - 1].position
        self._recent = recent[-RECENT:]

    def _serve(self, viewers: list[Viewer], moved: list[Moved], looks: bool) -> None:
        touched = {m.run_id for m in moved}
        lists = [v for v in viewers if v.kind == "orders"]
        pages = [v for v in viewers if v.kind == "run"]
        if lists:
            self._serve_lists(lists, touched, looks)
        due = [v for v in pages if looks or v.is_new or v.shown & touched]
        if due:
            known = plans(self._db)
            lines = Orders(self._db, known).lines({v.watch.run_ids[0] for v in due})
            rendering.pages(due, Runs(self._db, known), lines, self._position, _out_of_turn(moved, lines))

    def _serve_lists(self, lists: list[Viewer], touched: set[str], looks: bool) -> None:
        candidates = touched | self._missed(lists) if any(v.watch.counts_news for v in lists) else touched
        wanted = set(candidates)
        for viewer in lists:
            if looks or viewer.is_new:
                wanted |= viewer.shown
        reads = Orders(self._db)
        if wanted:
            listing.rows(lists, reads.lines(wanted), candidates, reads.plans, self._position)
        if self._counts_are_due(lists, touched):
            listing.summaries(lists, reads, self._position)

    def _missed(self, lists: Iterable[Viewer]) -> set[str]:
        """Runs that moved between a new viewer's page and its stream: candidates for its "n new"."""
        afters = [v.watch.after for v in lists if v.is_new and v.watch.after]
        if not afters:
            return set()
        oldest = min(afters)
        if oldest < self._known_from:
            # The page is older than this process, or was away for long: the log itself is asked.
            return {m.run_id for m in moved_since(self._db, oldest, MISSED)}
        return {m.run_id for m in self._recent if m.position > oldest}

    def _counts_are_due(self, lists: list[Viewer], touched: set[str]) -> bool:
        age = time.monotonic() - self._counted_at
        due = age > FRESH_SECONDS or (age > LOOK_SECONDS and bool(touched))
        if due:
            self._counted_at = time.monotonic()
        return due

    def _tell(self, viewers: list[Viewer], looks: bool, clock: float) -> None:
        """The freshness chip: every five seconds, at once when its word changes, and to who has just come."""
        before = self._told
        if looks:
            long = held_back(self._db, self._position.incarnation)
            self._told = f"process {long['pid']}" if long and long["pid"] else "another" if long else ""
        everybody = clock - self._told_at >= FRESH_SECONDS or bool(before) != bool(self._told)
        if everybody:
            self._told_at = clock
            judging.dismiss(viewers)
            rendering.banner(viewers, stops(self._db), self._position)
        new = [v for v in viewers if everybody or v.is_new]
        if new:
            _, now = position(self._db)
            state = frames.state("delayed" if self._told else "live", now.timestamp(), self._told)
            for viewer in new:
                viewer.put({}, self._position, state)


def _out_of_turn(moved: list[Moved], lines: dict[str, Line]) -> set[str]:
    """Runs with a row that was committed after one with a higher id: by their last row nothing seems to be new."""
    return {
        m.run_id for m in moved if m.run_id in lines and m.position.id < (lines[m.run_id].row["last_id"] or 0)
    }
