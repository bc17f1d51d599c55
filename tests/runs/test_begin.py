"""begin: the start mark is written before anything is sent."""

from __future__ import annotations

import pytest

from runs import actions, engine
from runs.errors import DatabaseLostWrites, LeaseLost, Stopped
from runs.run import mark
from runs.states import Status
from tests.support.factories import (
    ADA,
    W1,
    ask,
    held_by,
    kinds,
    new_id,
    overtake,
    row,
    seed,
    shown,
    unchanged,
)


def begin(run_id: str, guard: str = "keyed") -> None:
    run = held_by(W1, run_id)
    onward = mark(
        "act", Status.STARTED, run.attempt + 1, guard=guard, amount={"amount": "1.20", "currency": "EUR"}
    )
    engine.begin(run, W1, onward, "Testbank")


def test_the_start_mark_names_the_attempt_the_guard_and_the_amount() -> None:
    run_id = seed("keyed", status="pending", attempt=0, lease=3)
    begin(run_id)
    now = row(run_id)
    assert now["cursor"] == {
        "step": "act",
        "status": "started",
        "attempt": 1,
        "item": None,
        "guard": "keyed",
        "amount": {"amount": "1.20", "currency": "EUR"},
    }
    assert now["first_started_at"] is not None
    assert kinds(run_id) == ["step_started"]


def test_a_second_attempt_keeps_the_moment_of_the_first() -> None:
    run_id = seed("keyed")
    first = row(run_id)["first_started_at"]
    begin(run_id)
    assert (row(run_id)["first_started_at"], row(run_id)["cursor"]["attempt"]) == (first, 2)


def test_a_worker_that_lost_the_run_begins_nothing() -> None:
    run_id = seed("keyed", status="pending", attempt=0)
    stale = held_by(W1, run_id)
    overtake(run_id)
    before = row(run_id)
    with pytest.raises(LeaseLost, match="epoch 7 → 8"):
        engine.begin(stale, W1, mark("act", Status.STARTED, 1, guard="keyed"), "Testbank")
    assert unchanged(run_id, before)


def test_a_status_that_is_not_ours_is_not_begun_after_two_sends() -> None:
    run_id = seed("keyed", status="paused_by_v3")
    before = row(run_id)
    with pytest.raises(LeaseLost):
        begin(run_id)
    assert unchanged(run_id, before)


def test_a_run_that_is_gone_raises_the_alarm() -> None:
    run_id = seed("keyed", status="pending")
    run = held_by(W1, run_id)
    run.run_id = new_id("gone")
    with pytest.raises(DatabaseLostWrites):
        engine.begin(run, W1, mark("act", Status.STARTED, 1), "Testbank")


def test_a_hold_stops_it_before_anything_is_sent() -> None:
    run_id = seed("keyed", status="pending", attempt=0)
    run = held_by(W1, run_id)
    actions.hold(shown(run_id), ADA)
    with pytest.raises(Stopped):
        engine.begin(run, W1, mark("act", Status.STARTED, 1, guard="keyed"), "Testbank")
    now = row(run_id)
    assert (now["status"], now["lease_owner"], now["signals"]) == ("held", None, {})
    assert run.cursor == now["cursor"]


def test_an_emergency_hold_of_the_vendor_leaves_it_pending() -> None:
    run_id = seed("keyed", status="pending", attempt=0)
    hold = actions.emergency_hold(ADA, workflow="keyed", vendor="Testbank")
    try:
        with pytest.raises(Stopped):
            begin(run_id)
    finally:
        actions.lift_emergency_hold(ADA, hold)
    assert row(run_id)["cursor"]["status"] == "pending"
    assert ask("SELECT lifted_by FROM run_emergency_hold WHERE id = %(id)s", id=hold) == [
        {"lifted_by": "ada"}
    ]
