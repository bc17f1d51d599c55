"""The book of deeds: one row for what was done and what was refused, in the transaction of the change, for good."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.db import transaction

from runs import actions, db
from runs.acting import audit
from runs.actions import Actor, Busy, NotDone, Shown
from tests.support.factories import ask, log_of, new_id, row, seed, shown, unchanged
from tests.support.races import sides

EVE = Actor("eve", "It stood still.", role="ops", via="page")


def book_of(run_id: str) -> list[dict[str, Any]]:
    return ask("SELECT * FROM run_audit WHERE run_id = %(r)s ORDER BY id", r=run_id)


def test_a_deed_tells_who_when_what_before_and_after_and_why() -> None:
    run_id = seed("pure", status="pending", owner=None)
    actions.hold(shown(run_id), EVE)
    (told,) = book_of(run_id)
    assert (told["actor"], told["role"], told["via"], told["deed"], told["outcome"], told["reason"]) == (
        "eve", "ops", "page", "hold", "done", "It stood still.",
    )  # fmt: skip
    assert told["order_ref"] == run_id
    assert told["before"] == {
        "step": "act",
        "status": "pending",
        "epoch": 7,
        "lease_owner": None,
        "marks": [],
    }
    assert (told["after"]["status"], told["after"]["epoch"]) == ("held", 8)
    assert ask("SELECT at <= clock_timestamp() AS told FROM run_audit WHERE id = %(i)s", i=told["id"])[0][
        "told"
    ]


def test_a_mark_is_told_where_nothing_else_moved() -> None:
    run_id = seed("pure")
    actions.hold(shown(run_id), EVE)
    (told,) = book_of(run_id)
    assert (told["before"]["marks"], told["after"]["marks"]) == ([], ["hold"])


def test_what_is_refused_is_written_with_what_was_shown_and_what_stands() -> None:
    run_id = seed("pure", status="pending", owner=None)
    seen = shown(run_id)
    ask(
        'UPDATE run_state SET epoch = 9, cursor = cursor || \'{"status": "done"}\' WHERE run_id = %(r)s',
        r=run_id,
    )
    with pytest.raises(NotDone):
        actions.take_over(seen, EVE)
    (told,) = book_of(run_id)
    assert (told["outcome"], told["before"]["epoch"], told["before"]["status"]) == ("refused", 7, "pending")
    assert (told["after"]["epoch"], told["after"]["status"]) == (9, "done")


def test_a_run_that_is_not_there_is_refused_and_written() -> None:
    run_id = new_id()
    with pytest.raises(NotDone):
        actions.hold(Shown(run_id, 1, {"step": "act", "status": "pending"}), EVE)
    (told,) = book_of(run_id)
    assert (told["outcome"], told["after"]) == ("refused", None)


def test_there_is_neither_a_change_without_its_row_nor_a_row_without_its_change() -> None:
    run_id = seed("pure", status="pending", owner=None)
    before = row(run_id)
    with pytest.raises(RuntimeError), transaction.atomic():
        actions.hold(shown(run_id), EVE)
        raise RuntimeError
    assert unchanged(run_id, before) and book_of(run_id) == []
    ask("ALTER TABLE run_audit ADD CONSTRAINT full_up CHECK (actor <> 'eve') NOT VALID")
    try:
        with pytest.raises(psycopg.errors.CheckViolation):
            actions.hold(shown(run_id), EVE)
    finally:
        ask("ALTER TABLE run_audit DROP CONSTRAINT full_up")
    assert unchanged(run_id, before)


@pytest.mark.parametrize(
    "change", ["UPDATE run_audit SET actor = 'nobody'", "DELETE FROM run_audit", "TRUNCATE run_audit"]
)
def test_the_database_refuses_to_change_the_book(change: str) -> None:
    actions.hold(shown(seed("pure")), EVE)
    with pytest.raises(psycopg.DatabaseError, match="append-only") as refused:
        ask(change)
    assert refused.value.sqlstate == "LB002"


def test_a_row_that_somebody_keeps_locked_is_given_up_soon_and_told() -> None:
    run_id = seed("pure", status="pending", owner=None)
    before = row(run_id)
    with sides(1) as (other,), other.holding(run_id), pytest.raises(Busy, match="Another session holds"):
        actions.hold(shown(run_id), EVE)
    assert unchanged(run_id, before)
    assert [told["outcome"] for told in book_of(run_id)] == ["refused"]
    assert ask("SELECT 1 FROM pg_locks WHERE NOT granted") == []


def test_a_page_that_keeps_asking_for_what_is_denied_is_written_once_a_minute() -> None:
    run_id = new_id()
    for _ in range(3):
        audit.denied("run", EVE, run_id=run_id, told="/run/", again=True)
    audit.denied("hold", EVE, run_id=run_id, told="/run/hold/")
    audit.denied("hold", EVE, run_id=run_id, told="/run/hold/")
    assert [(told["deed"], told["outcome"]) for told in book_of(run_id)] == [
        ("run", "denied"), ("hold", "denied"), ("hold", "denied"),
    ]  # fmt: skip


def test_what_names_no_run_is_written_too() -> None:
    hold_id = actions.emergency_hold(EVE, vendor=new_id("vendor"))
    actions.lift_emergency_hold(EVE, hold_id)
    with transaction.atomic():
        found = ask("SELECT deed, outcome FROM run_audit WHERE actor = 'eve' ORDER BY id DESC LIMIT 2")
    assert found == [
        {"deed": "lift_emergency_hold", "outcome": "done"},
        {"deed": "emergency_hold", "outcome": "done"},
    ]


def test_the_log_has_one_row_for_each_deed_and_none_for_a_refusal() -> None:
    run_id = seed("pure", status="pending", owner=None)
    seen = shown(run_id)
    actions.hold(seen, EVE)
    with pytest.raises(NotDone):
        actions.hold(seen, EVE)
    assert [entry["kind"] for entry in log_of(run_id)[1:]] == ["held"]
    assert [told["outcome"] for told in book_of(run_id)] == ["done", "refused"]
    assert db.rows("standing", run_id=run_id)[0]["epoch"] == 8
