"""What a write that matched no row means: did mine land, and is it still mine? And answers that were lost on the way."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from runs import actions, engine
from runs.errors import DatabaseLostWrites, LeaseLost, Stopped
from runs.results import stored
from runs.run import Run
from runs.states import Status
from tests.support.factories import (
    ADA,
    W1,
    ask,
    held_by,
    kinds,
    log_of,
    new_id,
    overtake,
    row,
    seed,
    shown,
    vendors,
)
from tests.support.proxy import between

ONWARD = {"step": "tidy", "status": "started", "attempt": 1, "item": None, "guard": "pure"}


def commit(run: Run, onward: dict[str, Any] = ONWARD, keep: bool = True) -> None:
    engine.commit(run, W1, stored({"paid": True}), onward, keep=keep)


def quietly(statement: str, run_id: str) -> None:
    """As a restore or a failover would change the row: without guard and without log."""
    ask(
        f"SET session_replication_role = replica; {statement.format(run_id)}; SET session_replication_role = origin"
    )


def test_landed_and_still_mine_goes_on() -> None:
    run_id = seed("keyed")
    run = held_by(W1, run_id)
    commit(replace(run))
    commit(run)
    assert run.cursor == ONWARD
    assert kinds(run_id) == ["step_completed"]


def test_landed_and_given_back_in_the_same_write_goes_on_as_well() -> None:
    run_id = seed("keyed", step="tidy")
    run = held_by(W1, run_id)
    done = {"step": "tidy", "status": "done", "attempt": 1, "item": None}
    commit(replace(run), done, keep=False)
    commit(run, done, keep=False)
    assert kinds(run_id) == ["done"]


def test_landed_and_no_longer_mine_stops_though_the_cursor_has_not_moved() -> None:
    run_id = seed("keyed")
    run = held_by(W1, run_id)
    commit(replace(run))
    actions.take_over(shown(run_id), ADA)
    with pytest.raises(Stopped):
        commit(run)
    assert kinds(run_id) == ["step_completed", "taken_over"]


def test_not_landed_mine_and_moved_by_a_later_row_of_the_log_is_lost() -> None:
    run_id = seed("keyed")
    run = held_by(W1, run_id)
    ask("UPDATE run_state SET cursor = cursor || '{\"attempt\": 4}' WHERE run_id = %(r)s", r=run_id)
    with pytest.raises(LeaseLost):
        commit(run)


def test_neither_landed_nor_mine_is_lost() -> None:
    run_id = seed("keyed")
    run = held_by(W1, run_id)
    overtake(run_id)
    with pytest.raises(LeaseLost, match="epoch 7 → 8, owner w2#c3d4, started"):
        commit(run)


def test_not_landed_mine_and_as_expected_is_sent_again_once() -> None:
    run_id = seed("keyed", status="paused_by_v3")
    run = held_by(W1, run_id)
    with pytest.raises(LeaseLost):
        engine.begin(run, W1, run.onward(Status.STARTED, attempt=2), "")
    assert kinds(run_id) == []


def test_a_row_that_is_gone_raises_the_alarm() -> None:
    run_id = seed("keyed")
    run = held_by(W1, run_id)
    ask("DELETE FROM run_state WHERE run_id = %(r)s", r=run_id)
    with pytest.raises(DatabaseLostWrites):
        commit(run)


@pytest.mark.parametrize("lost", ["cursor = cursor || '{{\"attempt\": 0}}'", "epoch = 6"])
def test_a_row_that_went_back_without_a_later_row_of_the_log_raises_the_alarm(lost: str) -> None:
    run_id = seed("keyed")
    run = held_by(W1, run_id)
    quietly(f"UPDATE run_state SET {lost} WHERE run_id = '{{}}'", run_id)
    with pytest.raises(DatabaseLostWrites, match="restore or a failover"):
        commit(run)


def test_owner_and_epoch_alone_would_let_a_commit_slide_over_a_hole() -> None:
    """A failover lost the commit of act: the worker, already past it, must not commit tidy over the hole."""
    run_id = seed("keyed")
    run = held_by(W1, run_id)
    run.cursor = dict(ONWARD)
    with pytest.raises(DatabaseLostWrites):
        commit(run, {"step": "tidy", "status": "done", "attempt": 1, "item": None}, keep=False)
    assert (row(run_id)["step"], row(run_id)["completed"]) == ("act", {"credit_check": {"score": 712}})


LEAVES = {
    "commit": lambda run: commit(run),
    "begin": lambda run: engine.begin(run, W1, run.onward(Status.STARTED, attempt=2), ""),
    "retry": lambda run: engine.retry_later(run, W1, run.onward(Status.PENDING), 1.0),
    "wait": lambda run: engine.wait(run, W1, run.onward(Status.WAITING), 1.0, None),
    "park": lambda run: engine.park(run, W1, Status.FAILED, "It failed."),
    "release": lambda run: engine.release(run, W1, run.onward(Status.PENDING)),
    "doubt": lambda run: engine.doubt(run, W1, "Unknown."),
    "items": lambda run: engine.commit_items(
        run, W1, [{"item": "a", "result": 1}], {**run.cursor, "item": "b"}, "", True
    ),
}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("write", LEAVES)
def test_a_write_whose_answer_was_lost_is_told_apart_and_made_once(write: str, when: str) -> None:
    run_id = seed("loop", guard="repeat_ok", item="a")
    with between() as proxy:
        run = held_by(W1, run_id)
        proxy.cut_next(when)
        LEAVES[write](run)
    assert proxy.cuts == [when]
    assert len(log_of(run_id)) == (1 if write == "items" else 2)
    if write != "doubt":
        assert run.cursor == row(run_id)["cursor"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_claim_without_an_answer_takes_the_run_once_whether_the_server_had_heard_it_or_not(
    when: str,
) -> None:
    """One that took effect is adopted by the drive that sent it. One that did not is sent again: its message is
    used up, and the run would stand for a minute, until the sweep took that message for lost."""
    run_id = seed("pure", status="pending", owner=None)
    with between() as proxy:
        row(run_id)
        proxy.cut_next(when)
        run = engine.claim(run_id, W1, vendors())
    assert run is not None and (run.owner, run.epoch) == (W1.owner, 8)
    assert [entry["owner_after"] for entry in log_of(run_id)][1:] == [W1.owner]


def test_a_started_effect_in_our_name_that_nothing_can_settle_is_not_adopted() -> None:
    run_id = seed("unprotected")
    with between() as proxy:
        row(run_id)
        proxy.cut_next("before")
        assert engine.claim(run_id, W1, vendors()) is None


def test_of_many_commits_over_a_link_that_flaps_none_is_misjudged() -> None:
    """5 % fail before the server heard, 5 % after it committed. The seed is kept."""
    dice = random.Random(20260904)
    run_id = seed("pure")
    with between() as proxy:
        run = held_by(W1, run_id)
        proxy.plan = lambda: dice.choices([None, "before", "after"], [90, 5, 5])[0]
        for n in range(1, 121):
            commit(run, {**ONWARD, "step": f"step_{n}"})
        proxy.plan = lambda: None
    assert len(set(proxy.cuts)) == 2
    completed = [entry["completed_step"] for entry in log_of(run_id)][1:]
    assert completed == ["act", *(f"step_{n}" for n in range(1, 120))]


def test_an_unknown_run_id_in_whose_is_absent_and_not_lost() -> None:
    run = replace(held_by(W1, seed("keyed")), run_id=new_id("gone"))
    with pytest.raises(DatabaseLostWrites):
        engine.release(run, W1, run.cursor)


def test_a_mark_that_came_and_went_is_not_taken_for_a_write_of_ours() -> None:
    """A release of a pending run asks for the cursor that stands: a mark's row in the log looks the same."""
    run_id = seed("pure", status="pending")
    run = held_by(W1, run_id)
    actions.hold(shown(run_id), ADA)
    actions.lift(shown(run_id), ADA)
    actions.take_over(shown(run_id), ADA)
    with pytest.raises(LeaseLost):
        engine.release(run, W1, run.cursor)
