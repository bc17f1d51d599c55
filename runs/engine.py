"""The record's verbs for a worker, from start to finish, and the meaning of zero rows.

Every write of an owner demands run, owner, epoch and the cursor that this owner left behind. What
a write that matched no row means is settled by one read (``whose``), never guessed.
"""

from __future__ import annotations

import logging
import re
from typing import Any

import psycopg
from django.conf import settings

from runs import db, labels
from runs.errors import LeaseLost, RunExists, RunIdRefused, Stopped
from runs.fence import Writer, fenced, judge, until_answered
from runs.results import Stored, as_json, clean, stored, stored_input
from runs.run import Run, mark, size_in_row
from runs.states import Kind, Status
from runs.workflow import workflow

log = logging.getLogger("leaseboard.engine")
# A lone surrogate is no character at all: no encoding can carry it to the database.
# A server that goes away at each of them will not be there for the run's steps either.
CLAIM_TRIES = 3
CLAIMED = [
    "workflow", "epoch", "cursor", "input", "generation", "entered_generation", "first_started_at", "may_send_until",
]  # fmt: skip
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


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
        "cursor": as_json(mark(flow.first.first_name, Status.PENDING, 0)),
        "input": kept.text,
        "labels": as_json(labels.brought_by("input", flow, {"input": kept.value})),
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
    row = _claimed(params | {"by": db.by("claim", writer.build)})
    if row is None:
        return None
    if row["lease_owner"] != writer.owner:
        raise Stopped(run_id=run_id, cursor=row["cursor"])
    in_row = row["completed"] if isinstance(row["completed"], dict) else {}
    return Run(
        run_id=run_id, owner=writer.owner, completed=_whole(run_id, in_row), signals=row["signals"],
        claimed_at=row["claimed_at"], completed_chars=size_in_row(in_row),
        **{name: row[name] for name in CLAIMED},
    )  # fmt: skip


def _claimed(params: dict[str, Any]) -> db.Row | None:
    """Send the claim, and again where it did not reach the server: the message that brought the run here is
    used up, and without a claim the run would stand until the sweep takes that message for lost."""
    for _ in range(CLAIM_TRIES):
        try:
            return db.one("claim", **params)
        except (psycopg.OperationalError, psycopg.InterfaceError):
            # It may have taken effect unheard. Its owner's name is ours alone and this drive is the only one
            # of its run here, so a lease in our name is the one we asked for.
            row = until_answered("claimed", {"run_id": params["run_id"], "owner": params["owner"]})
        if row is not None:
            return row
    return None


def begin(run: Run, writer: Writer, onward: dict[str, Any], vendor: str) -> None:
    """Write the start mark. Raises Stopped where a mark or an emergency hold forbids it."""
    if run.first_started_at is None:
        run.first_started_at = run.now()
    fenced("begin", run, writer, onward, ttl=writer.ttl, vendor=vendor)


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
    kept = {"outputs": as_json(outputs), "labels": as_json(brought)} if outputs or brought else {}
    fenced(
        "commit_step_kept" if kept else "commit_step", run, writer, onward, step_done=step, **params, **kept
    )
    run.completed[step] = result.value
    run.completed_chars += len(inline)
    run.first_started_at = run.now() if onward["status"] == Status.STARTED else None
    run.entered_generation = run.generation


def commit_items(
    run: Run, writer: Writer, items: list[dict[str, Any]], onward: dict[str, Any], vendor: str, keep: bool
) -> None:
    """Record finished items and mark the next one begun. Raises as commit does."""
    fenced(
        "commit_items", run, writer, onward, items=as_json(items), vendor=vendor, ttl=writer.ttl if keep else None,
        attempt=run.attempt, item_done=items[-1]["item"] if items else None,
    )  # fmt: skip


def retry_later(
    run: Run,
    writer: Writer,
    onward: dict[str, Any],
    wait_seconds: float,
    *,
    reason: str = "",
    error: str | None = None,
    raise_generation: bool = False,
) -> None:
    """Give the run back until wait_seconds from now. Raises Stopped where a mark was honoured instead."""
    fenced(
        "retry_later", run, writer, onward, wait_seconds=wait_seconds, raise_generation=int(raise_generation),
        item=run.cursor.get("item"), attempt=run.attempt, error=clean(error) if error else None,
        reason=clean(reason),
    )  # fmt: skip


def park(run: Run, writer: Writer, status: Status, reason: str, error: str | None = None) -> None:
    """End the drive in failed or blocked, with its reason as a sentence and the traceback beside."""
    onward = run.onward(status, reason=clean(reason)[:2000])
    fenced(
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
    fenced("wait", run, writer, onward, wait_seconds=seconds, wanted=wanted)


def release(run: Run, writer: Writer, onward: dict[str, Any]) -> None:
    """Give the lease back, epoch unchanged."""
    fenced("release", run, writer, onward)


def doubt(run: Run, writer: Writer, reason: str, *, error: str | None = None, raw: str | None = None) -> None:
    """Hold the run: its effect may have happened. Opens the case in the same statement."""
    params = {
        "run_id": run.run_id, "owner": run.owner, "epoch": run.epoch, "expected": as_json(run.cursor), "attempt": run.attempt,
        "reason": clean(reason)[:2000], "error": clean(error) if error else None, "raw": raw, "by": db.by("doubt", writer.build),
    }  # fmt: skip
    onward = run.onward(Status.IN_DOUBT, reason=params["reason"])
    if until_answered("doubt", params) is None and judge(run, onward, keeps=False):
        until_answered("doubt", params)


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
    inline, outputs = _placed(run, run.step, result)
    brought = labels.brought_by(run.step, workflow(run.workflow), {run.step: result.value})
    row = db.one(
        "land_late", run_id=run.run_id, owner=run.owner, epoch=run.epoch, expected=as_json(run.cursor), onward=as_json(onward),
        result=inline, outputs=as_json(outputs), labels=as_json(brought), consumed=consumed or [],
        by=db.by("landed_late", writer.build),
    )  # fmt: skip
    return row is not None


def not_sent(run: Run, writer: Writer, onward: dict[str, Any]) -> bool:
    """Our call was held in doubt and surely never reached the vendor: True if the run goes on."""
    row = db.one(
        "not_sent", run_id=run.run_id, owner=run.owner, epoch=run.epoch, expected=as_json(run.cursor), onward=as_json(onward),
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
            "report", kind=kind.value, run_id=run.run_id, owner=run.owner, epoch=run.epoch, expected=as_json(run.cursor),
            onward=as_json(onward) if onward else None, step=run.step, attempt=run.attempt, build=writer.build,
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
        "run_id": run_id, "owner": worker, "epoch": epoch, "step": step, "onward": as_json(next_cursor),
        "result": as_json({step: kept.value}), "ttl": settings.LEASEBOARD_TTL_SECONDS, "by": db.by(""),
    }  # fmt: skip
    with conn.transaction():
        found = db.execute(conn, "commit_plain", params)
    if not found:
        raise LeaseLost(run_id=run_id, step=step, epoch=epoch)
    stands: dict[str, Any] = found[0]["cursor"]
    if stands != next_cursor:
        raise Stopped(run_id=run_id, cursor=stands)
    return stands


def _whole(run_id: str, completed: dict[str, Any]) -> dict[str, Any]:
    """Results as the steps gave them: a pointer to one that stands beside the row is followed."""
    whole = dict(completed)
    for step, value in completed.items():
        if isinstance(value, dict) and set(value) == {"_output"}:
            found = until_answered("output_of", {"run_id": run_id, **value["_output"]})
            whole[step] = found["value"] if found else value
    return whole


def _placed(run: Run, step: str, result: Stored) -> tuple[str, list[dict[str, Any]]]:
    """Where a result goes: into the row, or beside it once it or the whole map is too large."""
    outputs: list[dict[str, Any]] = []
    if result.raw is not None:
        outputs.append({"step": step, "attempt": run.attempt, "kind": "raw", "raw": result.raw})
    size = len(result.text)
    fits = run.completed_chars + size <= settings.LEASEBOARD_COMPLETED_BYTES
    if fits and size <= settings.LEASEBOARD_RESULT_BYTES:
        return f"{{{as_json(step)}:{result.text}}}", outputs
    outputs.append({"step": step, "attempt": run.attempt, "kind": "result", "value": result.value})
    return as_json(
        {step: {"_output": {"step": step, "generation": run.generation, "epoch": run.epoch, "bytes": size}}}
    ), outputs
