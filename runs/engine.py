"""The record's verbs for a worker, from start to finish, and the meaning of zero rows.

Every write of an owner demands run, owner, epoch and the cursor that this owner left behind. What
a write that matched no row means is settled by one read (``whose``), never guessed.
"""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import dataclass
from typing import Any

import psycopg
from django.conf import settings

from runs import db, labels
from runs.errors import DatabaseLostWrites, LeaseLost, RunExists, RunIdRefused, Stopped
from runs.results import Stored, clean, stored, stored_input
from runs.run import Run, mark
from runs.states import Kind, Status
from runs.workflow import workflow

log = logging.getLogger("leaseboard.engine")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
RETRY_CEILING_SECONDS = 5.0


@dataclass(frozen=True)
class Writer:
    """Who writes: the owner's name, its build and the TTL in seconds that its leases get."""

    owner: str
    build: str
    ttl: float


def start(name: str, run_id: str, run_input: dict[str, Any], *, actor: str = "") -> bool:
    """Put a run on the board. True if it is new, False if the very same start was made before.

    Raises UnknownWorkflow, RunIdRefused, InputRefused, and RunExists where run_id is taken by
    another workflow or input. It does not enter the queue: runs.tasks.dispatch does.
    """
    flow = workflow(name)
    check_run_id(run_id)
    kept = stored_input(run_input)
    params = {
        "run_id": run_id,
        "workflow": name,
        "cursor": _json(mark(flow.first.first_name, Status.PENDING, 0)),
        "input": kept.text,
        "labels": _json(labels.brought_by("input", flow, {"input": kept.value})),
        "by": db.by("start", settings.LEASEBOARD_BUILD, actor),
    }
    row = db.one("start", **params) or db.one("start", **params)
    if row is None or not row["same"]:
        raise RunExists(
            f"Run {run_id!r} is there already, with another workflow or input. Choose another run_id.",
            run_id=run_id,
        )
    return bool(row["made"])


def check_run_id(run_id: str) -> None:
    """Raise RunIdRefused unless run_id has 1 to 200 characters and no control characters."""
    if not isinstance(run_id, str) or not 1 <= len(run_id) <= 200:
        size = len(run_id) if isinstance(run_id, str) else 0
        raise RunIdRefused(f"A run_id has 1 to 200 characters, and this one has {size}.")
    if CONTROL.search(run_id):
        raise RunIdRefused(f"The run_id {run_id!r} has a control character: take it out.")


def claim(run_id: str, writer: Writer, vendors: str) -> Run | None:
    """Take a free or lapsed run. None: there is nothing to take. Raises Stopped where a mark or a
    third lapse parked it instead. vendors is catalogue.vendors_by_step()."""
    params = {"run_id": run_id, "owner": writer.owner, "ttl": writer.ttl, "vendors": vendors}
    try:
        row = db.one("claim", **params, by=db.by("claim", writer.build))
    except psycopg.OperationalError:
        # The claim may have taken effect unheard. Its owner's name is ours alone and this drive is the only
        # one of its run here, so a lease in our name is the one we asked for.
        row = _until_answered("claimed", {"run_id": run_id, "owner": writer.owner})
    if row is None:
        return None
    if row["lease_owner"] != writer.owner:
        raise Stopped(run_id=run_id, cursor=row["cursor"])
    fields = (
        "workflow",
        "epoch",
        "cursor",
        "input",
        "generation",
        "entered_generation",
        "first_started_at",
        "may_send_until",
    )
    completed = row["completed"] if isinstance(row["completed"], dict) else {}
    return Run(
        run_id=run_id, owner=writer.owner, completed=completed, signals=row["signals"], claimed_at=row["claimed_at"],
        **{name: row[name] for name in fields},
    )  # fmt: skip


def begin(run: Run, writer: Writer, onward: dict[str, Any], vendor: str) -> None:
    """Write the start mark. Raises Stopped where a mark or an emergency hold forbids it."""
    if run.first_started_at is None:
        run.first_started_at = run.now()
    _fenced("begin", run, writer, onward, ttl=writer.ttl, vendor=vendor)


def commit(
    run: Run, writer: Writer, result: Stored, onward: dict[str, Any], *, vendor: str = "", keep: bool = True,
    consumed: list[str] | None = None,
) -> None:  # fmt: skip
    """Record this step's result and move on; the lease is given back unless keep. Raises Stopped
    where the run stands elsewhere than asked, LeaseLost where it is no longer ours."""
    step = run.step
    flow = workflow(run.workflow)
    inline, outputs = _placed(run, step, result)
    brought = labels.brought_by(step, flow, {step: result.value})
    params: dict[str, Any] = {
        "result": inline,
        "vendor": vendor,
        "consumed": consumed or [],
        "ttl": writer.ttl if keep else None,
    }
    kept = {"outputs": _json(outputs), "labels": _json(brought)} if outputs or brought else {}
    _fenced(
        "commit_step_kept" if kept else "commit_step", run, writer, onward, step_done=step, **params, **kept
    )
    run.completed[step] = result.value
    run.first_started_at = run.now() if onward["status"] == Status.STARTED else None
    run.entered_generation = run.generation


def commit_items(
    run: Run, writer: Writer, items: list[dict[str, Any]], onward: dict[str, Any], vendor: str, keep: bool
) -> None:
    """Record finished items and mark the next one begun. Raises as commit does."""
    _fenced(
        "commit_items", run, writer, onward, items=_json(items), vendor=vendor, ttl=writer.ttl if keep else None,
        attempt=run.attempt, item_done=items[-1]["item"] if items else None,
    )  # fmt: skip


def retry_later(
    run: Run,
    writer: Writer,
    onward: dict[str, Any],
    wait_seconds: float,
    *,
    error: str | None = None,
    raise_generation: bool = False,
) -> None:
    """Give the run back until wait_seconds from now. Raises Stopped where a mark was honoured instead."""
    _fenced(
        "retry_later", run, writer, onward, wait_seconds=wait_seconds, raise_generation=int(raise_generation),
        item=run.cursor.get("item"), attempt=run.attempt, error=clean(error) if error else None,
    )  # fmt: skip


def park(run: Run, writer: Writer, status: Status, reason: str, error: str | None = None) -> None:
    """End the drive in failed or blocked, with its reason as a sentence and the traceback beside."""
    onward = run.onward(status, reason=clean(reason)[:2000])
    _fenced(
        "park",
        run,
        writer,
        onward,
        item=run.cursor.get("item"),
        attempt=run.attempt,
        error=clean(error) if error else None,
    )


def wait(run: Run, writer: Writer, onward: dict[str, Any], seconds: float | None, wanted: str | None) -> None:
    """Park until a time, a signal, or both."""
    _fenced("wait", run, writer, onward, wait_seconds=seconds, wanted=wanted)


def release(run: Run, writer: Writer, onward: dict[str, Any]) -> None:
    """Give the lease back, epoch unchanged."""
    _fenced("release", run, writer, onward)


def doubt(run: Run, writer: Writer, reason: str, *, error: str | None = None, raw: str | None = None) -> None:
    """Hold the run: its effect may have happened. Opens the case in the same statement."""
    params = {
        "run_id": run.run_id, "owner": run.owner, "epoch": run.epoch, "expected": _json(run.cursor), "attempt": run.attempt,
        "reason": clean(reason)[:2000], "error": clean(error) if error else None, "raw": raw, "by": db.by("doubt", writer.build),
    }  # fmt: skip
    if _until_answered("doubt", params) is None:
        _judge(run, run.onward(Status.IN_DOUBT), run.step, None)


def hold_lapsed(run_id: str, epoch: int) -> int | None:
    """Hold a run whose owner lapsed inside an unprotected effect. The case, or None if nothing is to hold."""
    row = db.one(
        "hold_lapsed", run_id=run_id, epoch=epoch, by=db.by("hold_lapsed"),
        reason="Its worker stopped after this call was begun; no answer is recorded.",
    )  # fmt: skip
    return row["case_id"] if row else None


def land_late(
    run: Run, writer: Writer, result: Stored, onward: dict[str, Any], consumed: list[str] | None = None
) -> bool:
    """Our call was held in doubt and its answer has come: True if it landed and the run goes on."""
    inline, _ = _placed(run, run.step, Stored(result.text, result.value))
    row = db.one(
        "land_late", run_id=run.run_id, owner=run.owner, epoch=run.epoch, expected=_json(run.cursor), onward=_json(onward),
        result=inline, consumed=consumed or [], by=db.by("landed_late", writer.build),
    )  # fmt: skip
    return row is not None


def not_sent(run: Run, writer: Writer, onward: dict[str, Any]) -> bool:
    """Our call was held in doubt and surely never reached the vendor: True if the run goes on."""
    row = db.one(
        "not_sent", run_id=run.run_id, owner=run.owner, epoch=run.epoch, expected=_json(run.cursor), onward=_json(onward),
        by=db.by("not_sent", writer.build),
    )  # fmt: skip
    return row is not None


def report(
    kind: Kind,
    run: Run,
    writer: Writer,
    reason: str,
    *,
    onward: dict[str, Any] | None = None,
    result: str | None = None,
) -> None:
    """A worker that lost the run tells what it did. Moves nothing; a database out of reach is no reason to fail."""
    try:
        db.rows(
            "report", kind=kind.value, run_id=run.run_id, owner=run.owner, epoch=run.epoch, expected=_json(run.cursor),
            onward=_json(onward) if onward else None, step=run.step, attempt=run.attempt, build=writer.build,
            reason=clean(reason), result=result,
        )  # fmt: skip
    except psycopg.OperationalError as error:
        log.warning("run %s: could not report %s: %s", run.run_id, kind.value, error)


def commit_step(
    conn: psycopg.Connection[Any],
    run_id: str,
    worker: str,
    epoch: int,
    step: str,
    result: Any,
    next_cursor: dict[str, Any],
) -> dict[str, Any]:
    """The plain protocol's commit, for a worker that drives runs with a connection of its own.

    Returns the cursor that stands. Raises LeaseLost if run, owner, epoch or step no longer match,
    Stopped if the result is recorded and the run stands elsewhere than asked: begin nothing.
    """
    kept = stored(result)
    params = {
        "run_id": run_id, "owner": worker, "epoch": epoch, "step": step, "onward": _json(next_cursor),
        "result": _json({step: kept.value}), "ttl": settings.LEASEBOARD_TTL_SECONDS, "by": db.by(""),
    }  # fmt: skip
    with conn.transaction():
        found = db.execute(conn, "commit_plain", params)
    if not found:
        raise LeaseLost(run_id=run_id, step=step, epoch=epoch)
    stands: dict[str, Any] = found[0]["cursor"]
    if stands != next_cursor:
        raise Stopped(run_id=run_id, cursor=stands)
    return stands


def _placed(run: Run, step: str, result: Stored) -> tuple[str, list[dict[str, Any]]]:
    """Where a result goes: into the row, or beside it once it or the whole map is too large."""
    outputs: list[dict[str, Any]] = []
    if result.raw is not None:
        outputs.append({"step": step, "attempt": run.attempt, "kind": "raw", "raw": result.raw})
    size = len(result.text)
    total = sum(len(str(value)) for value in run.completed.values()) + size
    if size <= settings.LEASEBOARD_RESULT_BYTES and total <= settings.LEASEBOARD_COMPLETED_BYTES:
        return f"{{{_json(step)}:{result.text}}}", outputs
    outputs.append({"step": step, "attempt": run.attempt, "kind": "result", "value": result.value})
    return _json(
        {step: {"_output": {"step": step, "generation": run.generation, "epoch": run.epoch, "bytes": size}}}
    ), outputs


def _fenced(
    name: str,
    run: Run,
    writer: Writer,
    onward: dict[str, Any],
    *,
    step_done: str | None = None,
    item_done: str | None = None,
    **params: Any,
) -> None:
    """Send one fenced write and follow it with the run's cursor. Zero rows are judged by one read."""
    params |= {
        "run_id": run.run_id, "owner": run.owner, "epoch": run.epoch, "expected": _json(run.cursor),
        "onward": _json(onward), "by": db.by(name, writer.build),
    }  # fmt: skip
    row = _until_answered(name, params)
    if row is None and _judge(run, onward, step_done, item_done):
        row = _until_answered(name, params)
        if row is None and _judge(run, onward, step_done, item_done):
            raise LeaseLost(run_id=run.run_id, step=run.step, epoch=run.epoch)
    stopped_at = row and row["stopped_at"]
    if stopped_at:
        run.cursor = stopped_at
        raise Stopped(run_id=run.run_id, cursor=stopped_at)
    run.cursor = onward


def _until_answered(name: str, params: dict[str, Any]) -> db.Row | None:
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


def _judge(run: Run, onward: dict[str, Any], step_done: str | None, item_done: str | None) -> bool:
    """What zero rows mean. True: send it again, once. Returns False where it had landed and the run
    is where we want it; raises in every other case."""
    params = {
        "run_id": run.run_id, "owner": run.owner, "epoch": run.epoch, "expected": _json(run.cursor), "onward": _json(onward),
        "step": step_done or run.step, "item": item_done,
    }  # fmt: skip
    found = _until_answered("whose", params)
    if found is None or found["absent"] or found["epoch"] < run.epoch:
        raise DatabaseLostWrites(
            f"Run {run.run_id} is not as this database acknowledged it: look for a restore or a failover.",
            run_id=run.run_id,
        )
    if found["landed"]:
        run.cursor = found["cursor"]
        if found["cursor"] == onward:
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


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
