"""Runs as a test needs them, written as rows; and what the record says of them."""

from __future__ import annotations

import itertools
import json
import os
from typing import Any

from psycopg.rows import dict_row

from runs import catalogue, db
from runs.actions import Actor, Shown
from runs.fence import Writer
from runs.run import Run, size_in_row

# The cast. Ada and Ben operate; W1 and W2 are worker processes.
ADA = Actor("ada", "The buyer rang up.")
BEN = Actor("ben", "It looked stuck.")
W1 = Writer("w1#a1b2", "test", 30.0)
W2 = Writer("w2#c3d4", "test", 30.0)

_numbers = itertools.count(1)

SEED = """INSERT INTO run_state (run_id, workflow, cursor, input, completed, epoch, lease_owner, lease_expires_at, wake_at,
    generation, entered_generation, signals, lapses)
VALUES (%(run_id)s, %(workflow)s, %(cursor)s, %(input)s, %(completed)s, %(epoch)s, %(owner)s,
    clock_timestamp() + %(lease)s * interval '1 s', clock_timestamp() + %(wake)s * interval '1 s', %(generation)s,
    %(generation)s, %(signals)s, %(lapses)s)"""


def new_id(prefix: str = "run") -> str:
    """An id that no other test of this session has."""
    return f"{prefix}-{os.getpid()}-{next(_numbers):05}"


def new_worker(ttl: float = 30.0) -> Writer:
    """A worker process that holds nothing yet and that no drain binds."""
    return Writer(f"{new_id('w')}#0f0f", "test", ttl)


def ask(text: str, /, **params: Any) -> list[dict[str, Any]]:
    """Any statement on the record's pool, as rows."""
    with db.pool.connection() as conn:
        cursor = conn.cursor(row_factory=dict_row)
        cursor.execute(text, params)
        return cursor.fetchall() if cursor.description else []


def seed(
    workflow: str = "unprotected",
    *,
    step: str = "act",
    status: str = "started",
    attempt: int = 1,
    owner: str | None = W1.owner,
    epoch: int = 7,
    lease: float | None = 30.0,
    wake: float | None = None,
    completed: Any = None,
    run_input: Any = None,
    signals: Any = None,
    generation: int = 0,
    lapses: list[str] | None = None,
    guard: str | None = "",
    run_id: str = "",
    **cursor: Any,
) -> str:
    """A run that stands as told; lease and wake are seconds from now. guard is the workflow's own
    unless given, and stands in the start mark only."""
    run_id = run_id or new_id()
    mark = {"step": step, "status": status, "attempt": attempt, "item": None, **cursor}
    if status == "started" and guard is not None:
        mark["guard"] = guard or workflow
    params = {
        "run_id": run_id,
        "workflow": workflow,
        "cursor": json.dumps(mark),
        "input": json.dumps(run_input or {"order_ref": run_id}),
        "completed": json.dumps({"credit_check": {"score": 712}} if completed is None else completed),
        "epoch": epoch,
        "owner": owner,
        "lease": lease if owner else None,
        "wake": wake,
        "generation": generation,
        "signals": json.dumps(signals or {}),
        "lapses": lapses or [],
    }
    ask(SEED, **params)
    return run_id


def row(run_id: str) -> dict[str, Any]:
    """The row as it stands, with whether its lease is good by the database's clock."""
    text = "SELECT *, lease_expires_at > clock_timestamp() AS leased FROM run_state WHERE run_id = %(run_id)s"
    return ask(text, run_id=run_id)[0]


def log_of(run_id: str) -> list[dict[str, Any]]:
    return ask("SELECT * FROM run_transition WHERE run_id = %(run_id)s ORDER BY id", run_id=run_id)


def kinds(run_id: str) -> list[str]:
    """The words of the log after the row was seeded."""
    return [entry["kind"] for entry in log_of(run_id)][1:]


def outputs_of(run_id: str, kind: str = "") -> list[dict[str, Any]]:
    text = "SELECT * FROM run_output WHERE run_id = %(run_id)s AND %(kind)s IN ('', kind) ORDER BY id"
    return ask(text, run_id=run_id, kind=kind)


def items_of(run_id: str) -> dict[str, Any]:
    text = "SELECT item, result FROM run_item WHERE run_id = %(run_id)s ORDER BY id"
    return {found["item"]: found["result"] for found in ask(text, run_id=run_id)}


def cases_of(run_id: str) -> list[dict[str, Any]]:
    return ask("SELECT * FROM run_doubt WHERE run_id = %(run_id)s ORDER BY id", run_id=run_id)


def held_by(writer: Writer, run_id: str) -> Run:
    """The run as this owner left it: what a claim or its last write gave it."""
    now = row(run_id)
    fields = (
        "workflow",
        "epoch",
        "cursor",
        "completed",
        "input",
        "generation",
        "entered_generation",
        "first_started_at",
        "may_send_until",
        "signals",
    )
    claimed_at = ask("SELECT clock_timestamp() AS now")[0]["now"]
    return Run(
        run_id=run_id,
        owner=writer.owner,
        claimed_at=claimed_at,
        completed_chars=size_in_row(now["completed"]),
        **{name: now[name] for name in fields},
    )


def shown(run_id: str) -> Shown:
    """The run as a person sees it now."""
    now = row(run_id)
    return Shown(run_id, now["epoch"], now["cursor"])


def vendors() -> str:
    return catalogue.vendors_by_step()


def lapse(run_id: str, seconds: float = 1.0) -> None:
    """Let the lease have run out some seconds ago: the row's times move, never the clock."""
    ask(
        "UPDATE run_state SET lease_expires_at = clock_timestamp() - %(s)s * interval '1 s' WHERE run_id = %(run_id)s",
        s=seconds,
        run_id=run_id,
    )


def overtake(run_id: str, writer: Writer = W2) -> None:
    """Let the lease lapse, and another worker write itself in as the next owner, by hand."""
    lapse(run_id)
    took = ask(
        """UPDATE run_state SET epoch = epoch + 1, lease_owner = %(owner)s,
           lease_expires_at = clock_timestamp() + interval '30 s' WHERE run_id = %(run_id)s RETURNING epoch""",
        owner=writer.owner,
        run_id=run_id,
    )
    assert took, "the guard let nobody in"


def unchanged(run_id: str, before: dict[str, Any]) -> bool:
    """Does the row stand exactly as before? Whether the lease is still good is a matter of time."""
    return {**row(run_id), "leased": None} == {**before, "leased": None}


def boot(
    build: str = "", node: str = "", *, ttl: float = 30.0, knows: dict[str, list[str]] | None = None
) -> Writer:
    """A worker process on the board, of a build of its own unless told; knows: steps by workflow."""
    writer = Writer(f"{new_id('w')}#0f0f", build or new_id("build"), ttl)
    db.rows(
        "boot",
        owner=writer.owner,
        name=writer.owner[:-5],
        build=writer.build,
        host="",
        pod="",
        node=node,
        pid=1,
        threads=4,
        heartbeat=ttl / 3,
        ttl=ttl,
        grace=30.0,
    )
    for workflow, steps in (knows or {}).items():
        body = {"steps": [{"first_name": step} for step in steps]}
        db.rows("publish", workflow=workflow, build=writer.build, body=json.dumps(body))
    return writer


def beat(writer: Writer, *, acknowledged: bool = False) -> dict[str, Any]:
    """The process reports itself, and hears whether it must stop."""
    params = {
        "owner": writer.owner,
        "pause": 0.1,
        "offset": 0.0,
        "inside": "[]",
        "acknowledged": acknowledged,
        "since_claim": None,
    }
    return db.rows("beat", **params)[0]


def silent(writer: Writer, seconds: float) -> None:
    text = """UPDATE run_worker SET last_beat_at = last_beat_at - %(s)s * interval '1 s',
              booted_at = booted_at - %(s)s * interval '1 s' WHERE owner = %(owner)s"""
    ask(text, s=seconds, owner=writer.owner)
