"""The sweep: find what nobody moves and somebody should. Safe twice at once; every write repeats its guard."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime

from django.conf import settings

from runs import crashpoints, db, engine

log = logging.getLogger("leaseboard.sweep")
PAGE = 500
PATIENCE_SECONDS = 600.0
AGAIN_PER_WORKER = 2


@dataclass
class Swept:
    """What one sweep did. lost_race counts runs that somebody moved between our look and our write;
    waiting says that nothing was sent because no live worker may claim."""

    dispatched: int = 0
    held: int = 0
    lost_race: int = 0
    undelivered: int = 0
    waiting: bool = False
    blocked: int = 0
    lifted: int = 0


def sweep(dispatch: Callable[[str], bool]) -> Swept:
    """Send due and lapsed runs to the queue, hold lapsed effects in doubt, tidy the fleet.

    dispatch(run_id) tells whether the broker took the message. Sent is what became due since the
    last time that messages went out. That mark stays where it is while the broker is down, or no
    live worker may claim: a queue that nobody reads would fill with messages past their time, and a
    worker that comes back after an hour would have to wade through them.
    """
    swept = Swept()
    since = db.one("last_pulse", name="dispatch")
    assert since is not None
    swept.waiting = not since["serving"]
    again = _move_due(since["at"], dispatch, swept)
    # Those that lost two workers wait for a process each. A few are enough to keep every process at one, and
    # any few: the same ones each time might be ones that nobody can take.
    for row in random.sample(again, min(len(again), AGAIN_PER_WORKER * since["serving"])):
        _move(row, dispatch, swept)
    _tidy(swept)
    if not swept.undelivered and not swept.waiting:
        db.rows("pulse", name="dispatch", at=since["now"], detail="{}")
    db.rows("pulse", name="sweep", at=None, detail=json.dumps(asdict(swept)))
    return swept


def _move_due(last_sweep: datetime, dispatch: Callable[[str], bool], swept: Swept) -> list[db.Row]:
    """Move what became due since the last sweep, page by page. Returns what was named then already."""
    after = ""
    again: list[db.Row] = []
    while page := db.rows("due", after=after, last_sweep=last_sweep, page=PAGE):
        crashpoints.reached("sweep_after_select")
        for row in page:
            if row["again"] and not row["unprotected"]:
                again.append(row)
            else:
                _move(row, dispatch, swept)
        after = page[-1]["run_id"]
        if len(page) < PAGE:
            break
    return again


def _move(row: db.Row, dispatch: Callable[[str], bool], swept: Swept) -> None:
    if row["unprotected"]:
        if engine.hold_lapsed(row["run_id"], row["epoch"]) is None:
            swept.lost_race += 1
        else:
            swept.held += 1
    elif swept.waiting:
        return
    elif swept.undelivered or not dispatch(row["run_id"]):
        # One refusal of the broker is enough: the rest of this sweep would only wait for it again.
        swept.undelivered += 1
    else:
        swept.dispatched += 1


def _tidy(swept: Swept) -> None:
    by = db.by("sweep", settings.LEASEBOARD_BUILD)
    swept.blocked = len(db.rows("block_unknown", patience=PATIENCE_SECONDS, by=by))
    swept.lifted = len(db.rows("unblock_known", by=by))
    db.rows("declare_gone", sweep=settings.LEASEBOARD_SWEEP_SECONDS)
    db.rows("end_empty_drains")
