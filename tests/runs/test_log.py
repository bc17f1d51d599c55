"""The log: append-only, in months, and never a reason for a commit to fail."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime

import psycopg
import pytest

from runs import db, tasks
from tests.support.factories import W1, ask, kinds, log_of, new_id, row, seed

THIS_MONTH = f"run_transition_{datetime.now(UTC):%Y_%m}"
YEARS = itertools.count()
AT = """INSERT INTO run_transition (run_id, kind, epoch, generation, at) VALUES (%(r)s, 'claimed', 1, 0, %(at)s::timestamptz)"""


@pytest.mark.parametrize(
    "table", ["run_transition", THIS_MONTH, "run_transition_default", "run_output", "run_item"]
)
@pytest.mark.parametrize("change", ["UPDATE {} SET run_id = 'forged'", "DELETE FROM {}", "TRUNCATE {}"])
def test_what_was_written_stays_written(table: str, change: str) -> None:
    run_id = seed("keyed")
    fill(table, run_id)
    with pytest.raises(
        psycopg.DatabaseError, match=r"is append-only: (UPDATE|DELETE|TRUNCATE) is refused"
    ) as refused:
        ask(change.format(table))
    assert refused.value.sqlstate == "LB002"
    if table == "run_transition_default":
        db.rows("make_partitions")


def fill(table: str, run_id: str) -> None:
    """Row triggers speak only where there is a row."""
    if table == "run_transition_default":
        ask(AT, r=run_id, at=f"{1900 + next(YEARS)}-01-15")
    elif table == "run_output":
        ask(
            "INSERT INTO run_output (run_id, step, generation, epoch, kind) VALUES (%(r)s, 'act', 0, 1, 'raw')",
            r=run_id,
        )
    elif table == "run_item":
        ask(
            "INSERT INTO run_item (run_id, step, item, generation, epoch, attempt) VALUES (%(r)s, 'act', 'a', 0, 1, 1)",
            r=run_id,
        )


def test_a_partition_made_later_refuses_as_well() -> None:
    ask("SELECT run_make_partitions(4)")
    text = """SELECT inhrelid::regclass::text AS part FROM pg_inherits WHERE inhparent = 'run_transition'::regclass
              ORDER BY 1 DESC"""
    parts = [found["part"] for found in ask(text)]
    assert len(parts) >= 6
    for part in parts:
        with pytest.raises(psycopg.DatabaseError, match="append-only: TRUNCATE"):
            ask(f"TRUNCATE {part}")


def test_the_next_three_months_are_there_and_making_them_again_makes_nothing() -> None:
    db.rows("make_partitions")
    assert db.rows("make_partitions") == []
    for ahead in range(4):
        name = ask(
            "SELECT 'run_transition_' || to_char(now() AT TIME ZONE 'UTC' + %(n)s * interval '1 month', 'YYYY_MM') AS name",
            n=ahead,
        )
        assert ask("SELECT to_regclass(%(name)s) IS NOT NULL AS there", name=name[0]["name"]) == [
            {"there": True}
        ]


def test_at_months_end_without_a_partition_no_commit_fails_and_the_rows_move_into_their_month() -> None:
    """The month that is missing here is this one, so that a true commit falls into the default partition."""
    detached = f"{THIS_MONTH}_away"
    ask(f"ALTER TABLE run_transition DETACH PARTITION {THIS_MONTH}")
    ask(f"ALTER TABLE {THIS_MONTH} RENAME TO {detached}")
    run_id = seed("keyed")
    ask('UPDATE run_state SET cursor = cursor || \'{"status": "failed"}\' WHERE run_id = %(r)s', r=run_id)
    fallen = ask("SELECT tableoid::regclass::text AS part FROM run_transition WHERE run_id = %(r)s", r=run_id)
    assert {found["part"] for found in fallen} == {"run_transition_default"}
    before = log_of(run_id)
    tasks.partitions()
    moved = ask("SELECT tableoid::regclass::text AS part FROM run_transition WHERE run_id = %(r)s", r=run_id)
    assert {found["part"] for found in moved} == {THIS_MONTH}
    assert log_of(run_id) == before
    assert ask("SELECT 1 FROM run_transition_default") == []
    with pytest.raises(psycopg.DatabaseError, match="append-only"):
        ask(f"DELETE FROM {THIS_MONTH}")
    seed("keyed")
    ask(f"INSERT INTO run_transition OVERRIDING SYSTEM VALUE SELECT * FROM {detached}")
    ask(f"DROP TABLE {detached}")


def test_rows_of_months_long_past_get_a_partition_of_their_own() -> None:
    run_id = new_id()
    for at in ("2001-02-28 23:59:59.999+00", "2001-03-01 00:00:00+00"):
        ask(AT, r=run_id, at=at)
    db.rows("make_partitions")
    parts = ask(
        "SELECT tableoid::regclass::text AS part FROM run_transition WHERE run_id = %(r)s ORDER BY at",
        r=run_id,
    )
    assert [found["part"] for found in parts] == ["run_transition_2001_02", "run_transition_2001_03"]


def test_ids_go_on_in_order_after_a_partition_was_carved_out() -> None:
    ask(AT, r=new_id(), at="1998-05-05")
    db.rows("make_partitions")
    run_id = seed("keyed")
    ask('UPDATE run_state SET cursor = cursor || \'{"status": "failed"}\' WHERE run_id = %(r)s', r=run_id)
    ids = [entry["id"] for entry in log_of(run_id)]
    assert ids == sorted(ids) and len(set(ids)) == 2


def test_an_expiry_alone_and_a_bare_item_move_are_not_logged() -> None:
    run_id = seed("loop", guard="repeat_ok", item="a")
    ask(
        "UPDATE run_state SET lease_expires_at = lease_expires_at + interval '1 s' WHERE run_id = %(r)s",
        r=run_id,
    )
    ask(
        'UPDATE run_state SET cursor = cursor || \'{"item": "b", "items_done": 1}\' WHERE run_id = %(r)s',
        r=run_id,
    )
    assert (kinds(run_id), row(run_id)["cursor"]["item"]) == ([], "b")


def test_the_log_holds_hashes_and_pointers_but_no_results() -> None:
    run_id = seed("keyed")
    ask(
        'UPDATE run_state SET completed = completed || \'{"act": {"card": "4242424242424242"}}\' WHERE run_id = %(r)s',
        r=run_id,
    )
    entry = log_of(run_id)[-1]
    assert len(entry["result_hash"]) == 32
    assert "4242" not in str(entry)


@pytest.mark.parametrize("lapsed", [False, True])
@pytest.mark.parametrize("result", ['{"act": {"paid": true}}', '{"act": null}', '{"act": [1, "x"]}'])
def test_the_short_insert_of_a_plain_commit_says_what_the_long_one_would(result: str, lapsed: bool) -> None:
    """A commit that names an actor takes the long way; nothing else may differ."""
    told = []
    for actor in ("", "ada"):
        run_id = seed("keyed", lease=-2.0 if lapsed else 30.0)
        onward = {"step": "tidy", "status": "started", "attempt": 1, "item": None, "guard": "pure"}
        found = db.rows(
            "commit_step",
            run_id=run_id,
            owner=W1.owner,
            epoch=7,
            expected=json.dumps(row(run_id)["cursor"]),
            onward=json.dumps(onward),
            result=result,
            vendor="",
            consumed=[],
            ttl=30.0,
            by=db.by("commit_step", "test", actor),
        )
        assert found == [{"stopped_at": None}]
        told.append(log_of(run_id)[-1])
    differ = {key for key in told[0] if told[0][key] != told[1][key]} - {
        "id",
        "xid",
        "run_id",
        "at",
        "lapsed_at",
        "cursor_before",
    }
    assert differ == {"actor"}
    assert [entry["lapsed_at"] is not None for entry in told] == [lapsed, lapsed]
