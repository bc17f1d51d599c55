"""The fence: how an owner's write is sent, sent again, and judged where it matched no row.

Every write of an owner demands run, owner, epoch and the cursor that this owner left behind. What
a write that matched no row means is settled by one read (``whose``), never guessed.
"""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from typing import Any

import psycopg

from runs import db
from runs.errors import ConfigurationRefused, DatabaseLostWrites, LeaseLost, Stopped
from runs.results import as_json
from runs.run import Run

log = logging.getLogger("leaseboard.engine")
RETRY_CEILING_SECONDS = 5.0


@dataclass(frozen=True)
class Writer:
    """Who writes: the owner's name, its build and the TTL in seconds that its leases get.

    Raises ConfigurationRefused for a TTL that is not a number above zero: every lease it gave would
    have lapsed at once, or never.
    """

    owner: str
    build: str
    ttl: float

    def __post_init__(self) -> None:
        if not isinstance(self.ttl, int | float) or not math.isfinite(self.ttl) or self.ttl <= 0:
            raise ConfigurationRefused(f"A lease needs a TTL above 0 seconds, and this one is {self.ttl!r}.")


def fenced(
    name: str,
    run: Run,
    writer: Writer,
    onward: dict[str, Any],
    *,
    step_done: str | None = None,
    item_done: str | None = None,
    reason: str = "",
    **params: Any,
) -> None:
    """Send one fenced write and follow it with the run's cursor. Zero rows are judged by one read."""
    params |= {
        "run_id": run.run_id, "owner": run.owner, "epoch": run.epoch, "expected": as_json(run.cursor),
        "onward": as_json(onward), "by": db.by(name, writer.build, reason=reason),
    }  # fmt: skip
    keeps = params.get("ttl") is not None
    row = until_answered(name, params)
    if row is None and judge(run, onward, step_done, item_done, keeps=keeps):
        row = until_answered(name, params)
        if row is None and judge(run, onward, step_done, item_done, keeps=keeps):
            raise LeaseLost(run_id=run.run_id, step=run.step, epoch=run.epoch)
    stopped_at = row and row["stopped_at"]
    if stopped_at:
        run.cursor = stopped_at
        raise Stopped(run_id=run.run_id, cursor=stopped_at)
    run.cursor = onward


def until_answered(name: str, params: dict[str, Any]) -> db.Row | None:
    """Send until the server answers: with the fence a statement that took effect unheard matches no
    row the second time. Data errors are the caller's; only a server out of reach is waited for."""
    pause = 0.2
    while True:
        try:
            return db.one(name, **params)
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            log.warning(
                "run %s: %s has no answer (%s); trying again in %.1f s",
                params["run_id"],
                name,
                _first_line(error),
                pause,
            )
            time.sleep(pause)
            pause = min(pause * 2, RETRY_CEILING_SECONDS)


def judge(
    run: Run,
    onward: dict[str, Any],
    step_done: str | None = None,
    item_done: str | None = None,
    *,
    keeps: bool = True,
) -> bool:
    """What zero rows mean. True: send it again, once. Returns False where it had landed and the run
    is where we want it; raises in every other case.

    keeps: the write goes on holding the run. It may have landed, and the run been taken from us since
    without a move of its cursor: then nothing is to be reported and nothing to be begun.
    """
    params = {
        "run_id": run.run_id, "owner": run.owner, "epoch": run.epoch, "expected": as_json(run.cursor), "onward": as_json(onward),
        "step": step_done or run.step, "item": item_done,
    }  # fmt: skip
    found = until_answered("whose", params)
    if found is None or found["absent"] or found["epoch"] < run.epoch:
        raise DatabaseLostWrites(
            f"Run {run.run_id} is not as this database acknowledged it: look for a restore or a failover.",
            run_id=run.run_id,
        )
    # Neither the log nor run_item tells of a loop's first start mark: there the cursor itself does.
    if found["landed"] or (found["mine"] and found["cursor"] == onward != run.cursor):
        run.cursor = found["cursor"]
        if found["cursor"] == onward and (found["mine"] or not keeps):
            return False
        raise Stopped(run_id=run.run_id, cursor=found["cursor"])
    if found["mine"] and found["as_expected"]:
        return True
    if found["mine"] and not found["moved_on"]:
        raise DatabaseLostWrites(
            f"The cursor of run {run.run_id} went back without a row in its log: look for a restore or a failover.",
            run_id=run.run_id,
        )
    raise LeaseLost(
        f"Run {run.run_id} has moved on: epoch {run.epoch} → {found['epoch']}, "
        f"owner {found['lease_owner'] or 'nobody'}, {found['status']}.",
        run_id=run.run_id, step=run.step, epoch=run.epoch,
    )  # fmt: skip


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
