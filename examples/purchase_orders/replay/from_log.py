"""The history as the record's log tells it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import groupby
from math import inf
from typing import Any

import psycopg
from psycopg.rows import dict_row

from examples.purchase_orders import tariffs
from examples.purchase_orders.replay.history import EFFECTS, GUARD, End, History, Hold, Mark, Money
from runs.workflow import Guard

# The log in the order of each run; times as seconds, moved to this machine's clock.
LOG = """SELECT run_id, kind, epoch, cursor_before, cursor_after, owner_before, owner_after, completed_step, began_step,
    lease_event, extract(epoch FROM at)::float8 - %(ahead)s AS at
FROM run_transition WHERE kind NOT IN ('commit_refused', 'loss_noticed') ORDER BY run_id, id"""
FLEET = "SELECT owner, pid FROM run_worker"
RUNS = "SELECT run_id, status, completed->'parse_request'->'usage' AS usage FROM run_state"
ENDS = {"done": End.OVER, "retry_scheduled": End.RETRY, "in_doubt": End.DOUBT}


def load(url: str, told: dict[int, float], deaths: dict[int, float], ahead: float) -> History:
    """told and deaths tell when each process got its SIGTERM and ended, by its id; ahead is how far the
    database's clock is before ours."""
    with psycopg.connect(url, autocommit=True, row_factory=dict_row) as conn:
        fleet = conn.execute(FLEET).fetchall()
        runs = conn.execute(RUNS).fetchall()
        rows = conn.execute(LOG, {"ahead": ahead}).fetchall()
    died = {worker["owner"]: deaths[worker["pid"]] for worker in fleet if worker["pid"] in deaths}
    drains = {worker["owner"]: told[worker["pid"]] for worker in fleet if worker["pid"] in told}
    holds = {
        run_id: list(_holds(run_id, list(rows_of), died, drains))
        for run_id, rows_of in groupby(rows, key=lambda row: row["run_id"])
    }
    prices = {run["run_id"]: _tokens(run["usage"]) for run in runs if run["usage"]}
    return History(holds, {run["run_id"]: run["status"] for run in runs}, died, prices)


def _holds(
    run_id: str, rows: list[dict[str, Any]], died: dict[str, float], told: dict[str, float]
) -> Iterator[Hold]:
    hold: Hold | None = None
    for row in rows:
        at, owner = row["at"], row["owner_before"]
        taken = row["lease_event"] in ("claimed", "taken_over")
        if hold is not None and row["completed_step"]:
            hold.marks.append(Mark(row["completed_step"], at, done=True))
        if hold is not None and (taken or row["owner_after"] is None):
            _close(hold, row, dead=died.get(owner, at) < at, told=told.get(owner, inf) <= at)
            yield hold
            hold = None
        if taken:
            hold = Hold(run_id, row["owner_after"], row["epoch"], at)
        if hold is not None and row["began_step"]:
            hold.marks.append(_begun(row))
    if hold is not None:
        yield hold


def _close(hold: Hold, row: dict[str, Any], dead: bool, told: bool) -> None:
    """Why this row ended the hold. What a worker sent with its last breath may be logged just after its death,
    so only a row that somebody else must have written tells of a cut."""
    before, after = row["cursor_before"] or {}, row["cursor_after"] or {}
    if row["lease_event"] == "taken_over" or (row["kind"] == "in_doubt" and dead):
        hold.close(End.CUT if dead else End.LOST, row["at"])
        hold.inside = before.get("step") if before.get("status") == "started" else None
    elif row["kind"] in ENDS:
        hold.close(ENDS[row["kind"]], row["at"])
        hold.inside = before.get("step")
    elif row["lease_event"] == "released" and told and after.get("status") in ("pending", "started"):
        hold.close(End.HANDED_OVER, row["at"])
    else:
        hold.close(End.OVER, row["at"])


def _begun(row: dict[str, Any]) -> Mark:
    cursor = row["cursor_after"]
    step = row["began_step"]
    again = bool(cursor.get("unknown")) and GUARD.get(step) is Guard.REPEAT_OK and step in EFFECTS
    return Mark(step, row["at"], item=cursor.get("item"), again=again, amount=_money(cursor.get("amount")))


def _money(amount: dict[str, str] | None) -> Money | None:
    return (Decimal(amount["amount"]), amount["currency"]) if amount else None


def _tokens(usage: dict[str, Any]) -> Money:
    bill = tariffs.tokens(None, {"usage": usage})  # type: ignore[arg-type]
    return bill.amount, bill.currency
