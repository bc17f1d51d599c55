"""Orders in the states that a page must tell, written as rows: each statement is logged as any worker's."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import Group, User
from django.db import connection, transaction

from runs import db
from runs.watching import usual

STEPS = (
    ("parse_request", "Parse the request", "parsing the request", "repeat_ok", "Parsewell"),
    ("quote", "Build the quote", "building the quote", "repeat_ok", "Pricebook"),
    ("credit_check", "Check credit", "checking credit", "repeat_ok", "Creditline"),
    ("charge_card", "Charge the card", "charging the card", "unprotected", "Cardline"),
    ("notify_buyer", "Notify the buyer", "notifying the buyer", "keyed", "Postmail"),
)
WORKFLOW = "purchase_order"
OWNER = "worker-17#a1b2c3d4"


def publish(workflow: str = WORKFLOW, steps: Any = STEPS, within_seconds: float | None = None,
            labels: Any = (), money: dict[str, str] | None = None) -> None:  # fmt: skip
    usual.forget()
    body = {
        "steps": [
            {"name": n, "first_name": n, "title": t, "doing": d, "guard": g, "vendor": v, "retry": {"attempts": 5},
             "saying": f"We are {d}.", "decides": "finance", "money": (money or {}).get(n, "")}
            for n, t, d, g, v in steps
        ],
        "labels": list(labels),
        "promise": {"until": "charge_card", "within_seconds": within_seconds} if within_seconds else None,
    }  # fmt: skip
    sql = """INSERT INTO run_catalogue (workflow, build, body) VALUES (%s, 'test', %s)
             ON CONFLICT (workflow, build) DO UPDATE SET body = EXCLUDED.body"""
    _execute(sql, [workflow, json.dumps(body)])


def order(run_id: str, *, ref: str = "", status: str = "pending", step: str = "parse_request", attempt: int = 0,
          lease: float | None = None, workflow: str = WORKFLOW, labels: dict[str, str] | None = None,
          wake: float | None = None, **cursor: Any) -> str:  # fmt: skip
    """A run that stands as told; `lease` and `wake` are seconds from now, a lease below zero has lapsed."""
    start = {"step": step, "status": status, "attempt": attempt, "item": None, **cursor}
    payload = {"order_ref": ref, "card": "4242424242424242"}
    _execute(
        """INSERT INTO run_state (run_id, workflow, cursor, input, completed, lease_owner, lease_expires_at, wake_at, epoch)
           VALUES (%s, %s, %s, %s, '{"parse_request": {"secret": "canary-in-result"}}', %s,
                   clock_timestamp() + %s * interval '1 s', clock_timestamp() + %s * interval '1 s', %s)""",
        [run_id, workflow, json.dumps(start), json.dumps(payload), OWNER if lease is not None else None, lease, wake,
         7 if lease is not None else 0],
    )  # fmt: skip
    for name, value in (labels or {}).items():
        label(run_id, name, value)
    return run_id


def label(run_id: str, name: str, value: str, currency: str = "") -> None:
    folded = "" if name == "amount" else value.casefold()
    sql = "INSERT INTO run_label (run_id, name, value, folded, currency) VALUES (%s, %s, %s, %s, %s)"
    _execute(sql, [run_id, name, value, folded, currency])


def worker(owner: str = OWNER) -> None:
    _execute(
        """INSERT INTO run_worker (owner, name, build, heartbeat_seconds, ttl_seconds, grace_seconds, beats)
           VALUES (%s, %s, '2026.09.4', 10, 30, 30, '{10.1,9.9,17.5,10}')""",
        [owner, owner.split("#")[0]],
    )


def commit(run_id: str, done: str, onward: str, **cursor: Any) -> None:
    """The owner's commit of a step: recorded, and the next one begun."""
    after = {"step": onward, "status": "started", "attempt": 1, "item": None, **cursor}
    _execute(
        """UPDATE run_state SET completed = completed || %s, cursor = %s,
           lease_expires_at = clock_timestamp() + interval '30 s' WHERE run_id = %s""",
        [json.dumps({done: {"score": 712}}), json.dumps(after), run_id],
    )


def retry(run_id: str, reason: str, wait: float = 60) -> None:
    """The owner gives the run back until later, and says why."""
    by = db.by("retry_later", "test", reason=reason)
    sql = """UPDATE run_state SET cursor = cursor || '{"status": "pending"}', lease_owner = NULL, lease_expires_at = NULL,
             wake_at = clock_timestamp() + %s * interval '1 s' WHERE run_id = %s"""
    with transaction.atomic():
        _execute("SELECT set_config('leaseboard.by', %s, true)", [by])
        _execute(sql, [wait, run_id])
        _execute("SELECT set_config('leaseboard.by', '', true)", [])


def age(run_id: str, seconds: float) -> None:
    """Move the row's times back, not the clock."""
    sql = """UPDATE run_state SET created_at = created_at - %s * interval '1 s',
             updated_at = updated_at - %s * interval '1 s' WHERE run_id = %s"""
    _execute(sql, [seconds, seconds, run_id])


def tally() -> None:
    """What the fold would have counted by now: here the rows of a test are not committed, and it sees none."""
    _execute("DELETE FROM run_tally", [])
    sql = """INSERT INTO run_tally (status, since, runs)
             SELECT status, since, count(*) FROM run_state, (VALUES ('-infinity'::timestamptz), (now())) AS s(since)
             WHERE status IN ('done', 'failed', 'cancelled') GROUP BY 1, 2"""
    _execute(sql, [])
    _execute(
        "INSERT INTO run_pulse (name) VALUES ('tally') ON CONFLICT (name) DO UPDATE SET at = clock_timestamp()",
        [],
    )


def seen(run_id: str) -> None:
    """A person has marked this failure seen."""
    sql = "INSERT INTO run_seen (run_id, epoch, seen_by) SELECT run_id, epoch, 'ada' FROM run_state WHERE run_id = %s"
    _execute(sql, [run_id])
    _execute("UPDATE run_state SET seen_epoch = epoch WHERE run_id = %s", [run_id])


def person(name: str, role: str | None) -> User:
    # A hash of one round: a test signs hundreds of people in, and none of them is attacked.
    password = PBKDF2PasswordHasher().encode(name, "salt", iterations=1)
    user: User = User.objects.create(username=name, password=password)
    if role:
        user.groups.add(Group.objects.get(name=role))
    return user


def _execute(sql: str, params: list[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
