"""A person in psql, and a worker that knows nothing but SQL and eight columns, are full citizens."""

from __future__ import annotations

import json

from tests.support.factories import kinds, lapse, log_of, new_id, outputs_of, row, seed
from tests.support.psql import psql, rows

INSERT = """INSERT INTO run_state (run_id, cursor, input)
VALUES (:'run', '{"step": "charge", "status": "pending", "attempt": 0, "item": null}', '{"order_ref": "PO-7"}');"""
CLAIM = """UPDATE run_state SET epoch = epoch + 1, lease_owner = :'me',
lease_expires_at = clock_timestamp() + interval '30 seconds'
WHERE run_id = :'run' AND (lease_owner IS NULL OR lease_expires_at < clock_timestamp()) RETURNING epoch;"""
HEARTBEAT = """UPDATE run_state SET lease_expires_at = clock_timestamp() + interval '30 seconds'
WHERE run_id = :'run' AND lease_owner = :'me' AND epoch = :epoch RETURNING epoch;"""
COMMIT = """UPDATE run_state SET completed = completed || :'result', cursor = :'onward', updated_at = clock_timestamp(),
lease_expires_at = clock_timestamp() + interval '30 seconds'
WHERE run_id = :'run' AND lease_owner = :'me' AND epoch = :epoch RETURNING epoch;"""
ONWARD = json.dumps({"step": "ship", "status": "started", "attempt": 1, "item": None})
DONE = json.dumps({"step": "ship", "status": "done", "attempt": 1, "item": None})


def test_a_bare_insert_of_run_id_cursor_and_input_is_a_run(record_url: str) -> None:
    run_id = new_id()
    rows(record_url, INSERT, run=run_id)
    now = row(run_id)
    assert (now["status"], now["step"], now["order_ref"], now["epoch"], now["completed"]) == (
        "pending",
        "charge",
        "PO-7",
        0,
        {},
    )
    assert [entry["kind"] for entry in log_of(run_id)] == ["started_run"]


def test_a_hand_written_update_is_logged_as_an_edit_with_both_cursors(record_url: str) -> None:
    run_id = seed("keyed", status="failed", owner=None)
    update = """UPDATE run_state SET cursor = cursor || '{"status": "pending"}' WHERE run_id = :'run';"""
    rows(record_url, update, run=run_id)
    entry = log_of(run_id)[-1]
    assert (entry["kind"], entry["cursor_before"]["status"], entry["cursor_after"]["status"]) == (
        "edited",
        "failed",
        "pending",
    )
    assert (entry["build"], entry["actor"]) == (None, None)


def test_a_hand_written_change_of_the_input_or_of_columns_of_ours_is_logged_too(record_url: str) -> None:
    run_id = seed("keyed", status="pending", owner=None)
    for change in (
        "input = '{}'",
        "generation = generation + 1",
        "wake_at = clock_timestamp()",
        "workflow = 'other'",
    ):
        rows(record_url, f"UPDATE run_state SET {change} WHERE run_id = :'run';", run=run_id)
    assert len(kinds(run_id)) == 4
    assert set(kinds(run_id)) <= {"edited", "retry_scheduled"}


def test_a_deleted_run_leaves_its_results_and_a_row_in_the_log(record_url: str) -> None:
    run_id = seed("keyed")
    rows(record_url, "DELETE FROM run_state WHERE run_id = :'run';", run=run_id)
    assert kinds(run_id) == ["deleted"]
    assert [(kept["step"], kept["value"]) for kept in outputs_of(run_id, "displaced")] == [
        ("credit_check", {"score": 712})
    ]


def test_a_result_that_a_hand_takes_away_or_changes_is_kept(record_url: str) -> None:
    run_id = seed("keyed", completed={"a": 1, "b": {"paid": True}}, status="failed", owner=None)
    rows(
        record_url,
        """UPDATE run_state SET completed = completed - 'a' || '{"b": 2}' WHERE run_id = :'run';""",
        run=run_id,
    )
    assert {kept["step"]: kept["value"] for kept in outputs_of(run_id, "displaced")} == {
        "a": 1,
        "b": {"paid": True},
    }


def test_a_worker_in_nothing_but_sql_claims_beats_commits_and_finishes(record_url: str) -> None:
    run_id = new_id()
    me = {"run": run_id, "me": "sql-worker#1"}
    rows(record_url, INSERT, run=run_id)
    assert rows(record_url, CLAIM, **me) == [["1"]]
    assert rows(record_url, CLAIM, run=run_id, me="sql-worker#2") == []
    assert rows(record_url, HEARTBEAT, epoch=1, **me) == [["1"]]
    assert rows(record_url, COMMIT, epoch=1, result='{"charge": {"id": "ch_1"}}', onward=ONWARD, **me) == [
        ["1"]
    ]
    assert rows(record_url, COMMIT, epoch=1, result='{"ship": {}}', onward=DONE, **me) == [["1"]]
    now = row(run_id)
    assert (now["status"], now["lease_owner"], now["completed"]) == (
        "done",
        None,
        {"charge": {"id": "ch_1"}, "ship": {}},
    )
    assert [entry["kind"] for entry in log_of(run_id)] == ["started_run", "claimed", "step_completed", "done"]
    assert log_of(run_id)[2]["completed_step"] == "charge"


def test_a_worker_in_nothing_but_sql_that_slept_loses_the_run(record_url: str) -> None:
    run_id = new_id()
    rows(record_url, INSERT, run=run_id)
    rows(record_url, CLAIM, run=run_id, me="sleeper")
    lapse(run_id)
    assert rows(record_url, CLAIM, run=run_id, me="other") == [["2"]]
    assert rows(record_url, HEARTBEAT, run=run_id, me="sleeper", epoch=1) == []
    assert (
        rows(record_url, COMMIT, run=run_id, me="sleeper", epoch=1, result='{"charge": 1}', onward=ONWARD)
        == []
    )
    now = row(run_id)
    assert (now["lease_owner"], now["completed"], kinds(run_id)) == ("other", {}, ["claimed", "taken_over"])


def test_a_worker_in_nothing_but_sql_may_take_a_run_of_a_workflow_of_ours_but_no_unprotected_call(
    record_url: str,
) -> None:
    free, call = seed("pure", lease=-1), seed("unprotected", lease=-1)
    assert rows(record_url, CLAIM, run=free, me="sql-worker#3") == [["8"]]
    assert rows(record_url, CLAIM, run=call, me="sql-worker#3") == []


def test_the_epoch_does_not_go_down_by_hand_and_the_refusal_says_why(record_url: str) -> None:
    run_id = seed("keyed")
    done = psql(record_url, "UPDATE run_state SET epoch = 3 WHERE run_id = :'run';", run=run_id)
    assert done.returncode != 0
    assert f"The epoch of run {run_id} stands at 7 and cannot go down to 3" in done.stderr
