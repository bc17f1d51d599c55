"""Runs with a past: a log whose rows lie minutes back, as no statement of today could write them."""

from __future__ import annotations

import json
from typing import Any

from django.db import connection, transaction

from tests.dashboard import scene

OLD, NEW = "worker-17#a1b2c3d4", "worker-23#e5f6a7b8"


def run(run_id: str, moves: list[dict[str, Any]], *, ref: str = "", status: str = "started", step: str = "credit_check",
        owner: str | None = None, lease: float | None = None, epoch: int = 1, attempt: int = 1, age: float = 180,
        **cursor: Any) -> str:  # fmt: skip
    """A row as told, and log rows: `ago` is seconds before now, the rest are columns of the log, `to` and `was` the
    cursors after and before."""
    stands = {"step": step, "status": status, "attempt": attempt, "item": None, **cursor}
    with transaction.atomic(), connection.cursor() as db:
        # Without its triggers: the row's own insertion would be logged as of now.
        db.execute("SET LOCAL session_replication_role = replica")
        db.execute(
            """INSERT INTO run_state (run_id, workflow, cursor, input, completed, lease_owner, lease_expires_at, epoch, status,
                   step, order_ref, created_at, updated_at)
               VALUES (%s, %s, %s, '{}', '{}', %s, clock_timestamp() + %s * interval '1 s', %s, %s, %s, %s,
                   clock_timestamp() - %s * interval '1 s', clock_timestamp() - %s * interval '1 s')""",
            [
                run_id,
                scene.WORKFLOW,
                json.dumps(stands),
                owner,
                lease,
                epoch,
                status,
                step,
                ref,
                age,
                moves[-1]["ago"],
            ],
        )
        for move in moves:
            _log(db, run_id, move)
        db.execute("SET LOCAL session_replication_role = origin")
    return run_id


def _log(db: Any, run_id: str, move: dict[str, Any]) -> None:
    columns = {"generation": 0, **{k: v for k, v in move.items() if k not in ("ago", "lapsed", "to", "was")}}
    columns |= {
        name: json.dumps(move[key])
        for name, key in (("cursor_after", "to"), ("cursor_before", "was"))
        if key in move
    }
    names, marks = ", ".join(columns), ", ".join(["%s"] * len(columns))
    db.execute(
        f"""INSERT INTO run_transition (run_id, {names}, at, lapsed_at) VALUES (%s, {marks},
            clock_timestamp() - %s * interval '1 s', clock_timestamp() - %s * interval '1 s')""",
        [run_id, *columns.values(), move["ago"], move.get("lapsed")],
    )


def begun(
    step: str, guard: str = "repeat_ok", amount: str = "", attempt: int = 1, **more: Any
) -> dict[str, Any]:
    money = {"amount": {"amount": amount, "currency": "EUR"}} if amount else {}
    return {"step": step, "status": "started", "attempt": attempt, "guard": guard, **money, **more}


def taken_over(run_id: str = "taken", **row: Any) -> str:
    """The incident that every page must tell: worker-17 checks the credit, falls silent, its lease lapses, worker-23
    takes over and asks again, and worker-17 comes back with an answer that is refused."""
    check, again = begun("credit_check", amount="0.40"), begun("credit_check", amount="0.40", attempt=2)
    return run(
        run_id,
        [
            {"ago": 133, "kind": "started_run", "epoch": 3, "to": {"step": "parse_request", "status": "pending"}},
            {"ago": 132, "kind": "claimed", "epoch": 4, "owner_after": OLD, "lease_event": "claimed", "build": "2026.09.4"},
            {"ago": 131, "kind": "step_started", "epoch": 4, "owner_before": OLD, "owner_after": OLD, "attempt": 1,
             "began_step": "parse_request", "to": begun("parse_request")},
            {"ago": 128, "kind": "step_completed", "epoch": 4, "owner_before": OLD, "owner_after": OLD, "attempt": 1,
             "completed_step": "parse_request", "began_step": "quote", "to": begun("quote")},
            {"ago": 87, "kind": "step_completed", "epoch": 4, "owner_before": OLD, "owner_after": OLD, "attempt": 1,
             "completed_step": "quote", "began_step": "credit_check", "to": check},
            {"ago": 47, "kind": "taken_over", "epoch": 5, "owner_before": OLD, "owner_after": NEW, "lapsed": 51,
             "lease_event": "taken_over", "attempt": 1, "was": check, "to": check},
            {"ago": 46, "kind": "step_started", "epoch": 5, "owner_before": NEW, "owner_after": NEW, "attempt": 2,
             "began_step": "credit_check", "was": check, "to": again},
            {"ago": 28, "kind": "commit_refused", "epoch": 4, "owner_before": OLD, "owner_after": NEW, "was": check,
             "to": begun("charge_card"), "attempt": 1, "reason": "Its answer came after the run had changed hands."},
        ],
        **{"owner": NEW, "lease": 18, "epoch": 5, "attempt": 2, "guard": "repeat_ok", **row},
    )  # fmt: skip
