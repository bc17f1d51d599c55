"""commit_items: finished items and the next item's start mark, in one statement."""

from __future__ import annotations

from typing import Any

import pytest

from runs import actions, engine
from runs.errors import DatabaseLostWrites, LeaseLost, Stopped
from runs.run import Run
from tests.support.factories import (
    ADA,
    W1,
    ask,
    held_by,
    items_of,
    kinds,
    new_id,
    overtake,
    row,
    seed,
    shown,
    unchanged,
)


def looping(**state: Any) -> str:
    return seed("loop", guard="repeat_ok", item="a", items_done=0, items_total=3, **state)


def commit(run: Run, done: str = "a", begun: str | None = "b", keep: bool = True) -> None:
    onward = {**run.cursor, "item": begun, "items_done": run.cursor.get("items_done", 0) + 1}
    engine.commit_items(run, W1, [{"item": done, "result": {"price": 3}}], onward, "Testbank", keep)


def test_the_item_is_recorded_the_next_begun_and_nothing_is_logged() -> None:
    run_id = looping(lapses=["w0#0"])
    commit(held_by(W1, run_id))
    now = row(run_id)
    assert items_of(run_id) == {"a": {"price": 3}}
    assert (now["cursor"]["item"], now["cursor"]["items_done"], now["epoch"]) == ("b", 1, 7)
    assert kinds(run_id) == []


def test_an_item_is_progress_so_earlier_lapses_are_forgotten() -> None:
    run_id = looping(lapses=["w0#0", "w0#1"])
    commit(held_by(W1, run_id))
    assert row(run_id)["lapses"] == []


def test_each_item_is_a_call_of_its_own_so_the_clock_of_the_first_start_begins_anew() -> None:
    run_id = looping()
    first = row(run_id)["first_started_at"]
    commit(held_by(W1, run_id))
    assert row(run_id)["first_started_at"] > first


def test_a_worker_that_lost_the_run_records_no_item() -> None:
    run_id = looping()
    stale = held_by(W1, run_id)
    overtake(run_id)
    before = row(run_id)
    with pytest.raises(LeaseLost):
        commit(stale)
    assert unchanged(run_id, before)
    assert items_of(run_id) == {}


def test_an_item_whose_answer_was_lost_is_not_recorded_twice() -> None:
    run_id = looping()
    first, again = held_by(W1, run_id), held_by(W1, run_id)
    commit(first)
    commit(again)
    assert again.cursor == first.cursor
    assert ask("SELECT count(*) AS n FROM run_item WHERE run_id = %(r)s", r=run_id) == [{"n": 1}]


def test_a_finished_run_takes_no_item() -> None:
    run_id = looping()
    stale = held_by(W1, run_id)
    ask('UPDATE run_state SET cursor = cursor || \'{"status": "done"}\' WHERE run_id = %(r)s', r=run_id)
    with pytest.raises(LeaseLost):
        commit(stale)
    assert items_of(run_id) == {}


def test_an_absent_run_takes_no_item_and_raises_the_alarm() -> None:
    run = held_by(W1, looping())
    run.run_id = new_id("gone")
    with pytest.raises(DatabaseLostWrites):
        commit(run)


def test_a_mark_is_honoured_at_the_item_boundary_with_the_item_recorded() -> None:
    run_id = looping()
    run = held_by(W1, run_id)
    actions.hold(shown(run_id), ADA)
    with pytest.raises(Stopped):
        commit(run)
    now = row(run_id)
    assert (now["status"], now["lease_owner"], now["cursor"].get("item")) == ("held", None, None)
    assert items_of(run_id) == {"a": {"price": 3}}


def test_an_emergency_hold_is_honoured_at_the_item_boundary() -> None:
    run_id = looping()
    run = held_by(W1, run_id)
    hold = actions.emergency_hold(ADA, workflow="loop", step="act")
    try:
        with pytest.raises(Stopped):
            commit(run)
    finally:
        actions.lift_emergency_hold(ADA, hold)
    assert (row(run_id)["status"], row(run_id)["cursor"]["item"]) == ("pending", None)


def test_where_it_drains_the_loop_is_given_back_in_the_same_statement() -> None:
    run_id = looping()
    run = held_by(W1, run_id)
    onward = {"step": "act", "status": "pending", "attempt": 1, "item": None}
    engine.commit_items(run, W1, [{"item": "a", "result": 1}], onward, "", keep=False)
    now = row(run_id)
    assert (now["lease_owner"], now["status"], kinds(run_id)) == (None, "pending", ["released"])
