"""The guard before every write: what must not happen is skipped, and zero rows say so."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.support.factories import W1, ask, kinds, row, seed, unchanged

TAKE = """UPDATE run_state SET epoch = epoch + %(up)s, lease_owner = 'thief',
lease_expires_at = clock_timestamp() + interval '9 s'
WHERE run_id = %(r)s RETURNING epoch"""
PARKED = ["held", "waiting", "in_doubt", "blocked", "done", "failed", "cancelled"]


@pytest.mark.parametrize("status", PARKED)
def test_a_parked_or_finished_row_gets_no_new_owner(status: str) -> None:
    run_id = seed("pure", status=status, owner=None)
    before = row(run_id)
    assert ask(TAKE, r=run_id, up=1) == []
    assert unchanged(run_id, before)


@pytest.mark.parametrize("workflow", ["unprotected", "keyed"])
def test_a_lapsed_unprotected_call_gets_no_new_owner_and_neither_does_one_without_a_guard(
    workflow: str,
) -> None:
    run_id = seed(workflow, guard="unprotected" if workflow == "unprotected" else None, lease=-1)
    assert ask(TAKE, r=run_id, up=1) == []


def test_a_new_owner_without_a_higher_epoch_is_skipped() -> None:
    run_id = seed("pure", lease=-1)
    assert ask(TAKE, r=run_id, up=0) == []
    assert ask(TAKE, r=run_id, up=1) == [{"epoch": 8}]


def test_a_lower_epoch_is_refused_with_a_sentence() -> None:
    run_id = seed("pure", lease=-1)
    with pytest.raises(psycopg.DatabaseError, match="stands at 7 and cannot go down to 6") as refused:
        ask(TAKE, r=run_id, up=-1)
    assert refused.value.sqlstate == "LB001"


@pytest.mark.parametrize("status", PARKED)
def test_the_present_owner_parks_its_run_and_the_guard_takes_the_lease_off(status: str) -> None:
    run_id = seed("keyed")
    park = """UPDATE run_state SET cursor = cursor || jsonb_build_object('status', %(status)s::text)
              WHERE run_id = %(r)s AND lease_owner = %(owner)s AND epoch = 7 RETURNING epoch"""
    assert ask(park, r=run_id, status=status, owner=W1.owner) == [{"epoch": 7}]
    now = row(run_id)
    assert (now["status"], now["lease_owner"], now["lease_expires_at"]) == (status, None, None)
    assert kinds(run_id) == [status]


@pytest.mark.parametrize("status", ["paused_by_v3", ""])
def test_c06_a_word_that_is_not_ours_is_no_reason_to_refuse_a_commit(status: str) -> None:
    run_id = seed("keyed")
    commit = """UPDATE run_state SET cursor = jsonb_build_object('step', 'x', 'status', %(status)s::text),
                completed = completed || '{"act": {"paid": true}}' WHERE run_id = %(r)s AND epoch = 7 RETURNING status"""
    assert ask(commit, r=run_id, status=status) == [{"status": status}]
    assert (kinds(run_id), row(run_id)["completed"]["act"]) == (["step_completed"], {"paid": True})


ODD: list[Any] = [
    "{}",
    "[]",
    "null",
    '"x"',
    "7",
    '{"step": 7, "status": true, "attempt": "2"}',
    '{"attempt": 1e300, "item": {"a": [1]}}',
    '{"attempt": -1}',
    '{"status": null}',
    "[[]]",
]


@pytest.mark.parametrize("odd", ODD)
def test_c06_the_triggers_tolerate_any_cursor_on_a_table_whose_check_was_dropped(odd: str) -> None:
    run_id = seed("keyed", status="pending", owner=None)
    ask("ALTER TABLE run_state DROP CONSTRAINT run_state_cursor_is_object")
    try:
        ask(
            "UPDATE run_state SET cursor = %(odd)s::jsonb, completed = '[]' WHERE run_id = %(r)s",
            r=run_id,
            odd=odd,
        )
        ask(
            'UPDATE run_state SET cursor = \'{"step": "act", "status": "pending"}\' WHERE run_id = %(r)s',
            r=run_id,
        )
        made = seed("keyed", status="pending", owner=None)
        ask("DELETE FROM run_state WHERE run_id = %(r)s", r=made)
    finally:
        ask(
            "ALTER TABLE run_state ADD CONSTRAINT run_state_cursor_is_object CHECK (jsonb_typeof(cursor) = 'object')"
        )
    assert row(run_id)["status"] == "pending"
    assert len(kinds(run_id)) == 2


@pytest.mark.parametrize("bad", ["'[]'", "'null'", "'\"x\"'"])
def test_a_cursor_that_is_no_object_is_refused_at_the_door(bad: str) -> None:
    with pytest.raises(psycopg.errors.CheckViolation):
        ask(f"INSERT INTO run_state (run_id, cursor, input) VALUES ('odd', {bad}, '{{}}')")


@pytest.mark.parametrize(
    "change",
    ["run_id = ''", "run_id = repeat('x', 201)", "run_id = E'a\\nb'", "lease_expires_at = 'infinity'"],
)
def test_what_no_run_can_be_is_refused_by_the_table(change: str) -> None:
    run_id = seed("keyed")
    with pytest.raises(psycopg.errors.CheckViolation):
        ask(f"UPDATE run_state SET {change} WHERE run_id = %(r)s", r=run_id)
