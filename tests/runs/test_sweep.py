"""due and sweep: what nobody moves is offered to the queue, held, blocked or lifted."""

from __future__ import annotations

from typing import Any

import pytest

from runs import actions, db, engine
from runs.errors import Stopped
from runs.sweep import Swept, sweep
from tests.support.factories import (
    ADA,
    ask,
    beat,
    boot,
    cases_of,
    kinds,
    lapse,
    new_worker,
    row,
    seed,
    silent,
    vendors,
)

OURS: set[str] = set()


@pytest.fixture(autouse=True)
def _somebody_serves() -> None:
    """Nothing is dispatched while no live worker may claim; and every test starts just swept."""
    boot(knows={"pure": ["act", "tidy"]})
    sweep(lambda run_id: True)


def swept() -> tuple[set[str], Swept]:
    sent: set[str] = set()

    def dispatch(run_id: str) -> bool:
        sent.add(run_id)
        return True

    return sent, sweep(dispatch)


def last_sweep_was(seconds: float) -> None:
    ask("UPDATE run_pulse SET at = at - %(s)s * interval '1 s' WHERE name = 'dispatch'", s=seconds)


def old(run_id: str, seconds: float) -> str:
    ask(
        "UPDATE run_state SET updated_at = updated_at - %(s)s * interval '1 s' WHERE run_id = %(r)s",
        s=seconds,
        r=run_id,
    )
    return run_id


def test_what_became_due_since_the_last_sweep_is_offered_once() -> None:
    runs = {
        "lapsed": seed("pure", lease=0.0),
        "retry": seed("pure", status="pending", owner=None, wake=0.0),
        "timer": seed("pure", status="waiting", owner=None, wake=0.0),
        "keyed": seed("keyed", owner=None),
        "unclaimed": old(seed("pure", status="pending", owner=None), 60.0),
    }
    sent, _ = swept()
    assert set(runs.values()) <= sent
    again, _ = swept()
    assert not set(runs.values()) & again


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"status": "pending", "owner": None},
        {"status": "waiting", "owner": None},
        {"status": "pending", "owner": None, "wake": 60.0},
        {"status": "held", "owner": None},
        {"status": "done", "owner": None},
        {"status": "paused_by_v3", "lease": -5.0},
    ],
    ids=["leased", "just-queued", "waits-for-a-signal", "retry-ahead", "held", "done", "foreign-status"],
)
def test_what_is_not_due_is_left_alone(state: dict[str, Any]) -> None:
    run_id = seed("pure", **state)
    sent, _ = swept()
    assert run_id not in sent


def test_a_run_without_a_workflow_of_ours_is_never_ours() -> None:
    run_id = seed("", lease=-5.0, guard=None)
    sent, _ = swept()
    assert (run_id in sent, row(run_id)["status"]) == (False, "started")


def test_a_lapsed_unprotected_call_is_held_and_not_offered() -> None:
    run_id = seed("unprotected", lease=0.0)
    sent, what = swept()
    assert (run_id in sent, row(run_id)["status"], len(cases_of(run_id))) == (False, "in_doubt", 1)
    assert what.held >= 1


def test_a_call_that_was_locked_during_one_sweep_is_held_by_the_next() -> None:
    run_id = seed("unprotected", lease=0.0)
    with db.connect() as conn, conn.transaction():
        conn.execute("SELECT 1 FROM run_state WHERE run_id = %s FOR UPDATE", [run_id])
        _, what = swept()
        assert what.lost_race == 1
    swept()
    assert row(run_id)["status"] == "in_doubt"


def test_a_message_that_the_broker_did_not_take_is_sent_again_by_the_next_sweep() -> None:
    runs = {old(seed("pure", status="pending", owner=None), 60.0) for _ in range(3)}
    assert sweep(lambda run_id: False).undelivered >= 3
    sent, _ = swept()
    assert runs <= sent


def test_c35_a_flushed_broker_costs_a_queued_run_a_minute_and_a_running_one_nothing() -> None:
    """Messages are hints: all of them are lost here, and the rows tell what is to be sent again."""
    queued = [old(seed("pure", status="pending", owner=None), 61.0) for _ in range(20)]
    running = [seed("pure") for _ in range(5)]
    last_sweep_was(5)
    sent, _ = swept()
    assert set(queued) <= sent
    assert not set(running) & sent
    writer = new_worker()
    assert all(engine.claim(run_id, writer, vendors()) for run_id in queued)
    assert not any(engine.claim(run_id, writer, vendors()) for run_id in queued)


def test_a_run_still_unclaimed_is_offered_again_a_minute_later() -> None:
    run_id = old(seed("pure", status="pending", owner=None), 60.0)
    assert run_id in swept()[0]
    old(run_id, 60)
    last_sweep_was(5)
    assert run_id in swept()[0]


def test_an_emergency_hold_keeps_its_runs_out_of_the_queue_and_lifting_offers_them() -> None:
    run_id = old(seed("pure", status="pending", owner=None), 60.5)
    hold = actions.emergency_hold(ADA, workflow="pure", step="act")
    try:
        assert run_id not in swept()[0]
        assert engine.claim(run_id, new_worker(), vendors()) is None
    finally:
        assert actions.lift_emergency_hold(ADA, hold) == 1
    assert run_id in swept()[0]
    assert engine.claim(run_id, new_worker(), vendors()) is not None


@pytest.mark.parametrize(
    "which", [{"workflow": "keyed"}, {"workflow": "keyed", "step": "act"}, {"vendor": "Testbank"}]
)
def test_an_emergency_hold_forbids_the_claim_and_changes_no_run(which: dict[str, str]) -> None:
    held, free = seed("keyed", status="pending", owner=None), seed("pure", status="pending", owner=None)
    hold = actions.emergency_hold(ADA, **which)
    try:
        assert engine.claim(held, new_worker(), vendors()) is None
        assert engine.claim(free, new_worker(), vendors()) is not None
    finally:
        actions.lift_emergency_hold(ADA, hold)
    assert (row(held)["epoch"], kinds(held)) == (7, [])


def test_every_process_hears_of_an_emergency_hold_at_its_next_beat() -> None:
    hold = actions.emergency_hold(ADA, vendor="Elsewhere")
    try:
        assert {"workflow": "", "step": "", "vendor": "Elsewhere"} in beat(boot())["holds"]
    finally:
        actions.lift_emergency_hold(ADA, hold)


def on_unknown_step(workflow: str) -> str:
    return old(seed(workflow, step="charge", status="pending", owner=None), 601)


def test_c31_a_step_that_no_live_build_knows_blocks_after_ten_minutes_and_says_what_is_known() -> None:
    boot(knows={"shop1": ["credit_check", "charge_card", "ship"]})
    run_id = on_unknown_step("shop1")
    swept()
    now = row(run_id)
    assert (now["status"], now["cursor"]["reason"]) == (
        "blocked",
        "No live build knows step 'charge' (known: charge_card, credit_check, ship).",
    )


def test_c31_it_is_never_the_nearest_match_and_uses_no_attempt() -> None:
    run_id = seed("renamed", step="charge_card", status="pending", owner=None, attempt=0)
    assert engine.claim(run_id, new_worker(), vendors()) is None
    assert row(run_id)["cursor"]["attempt"] == 0


def test_c31_an_alias_resumes_under_the_first_name_with_the_same_key() -> None:
    run_id = seed("renamed", step="charge", guard="keyed", lease=-1.0)
    run = engine.claim(run_id, new_worker(), vendors())
    assert run is not None
    found = engine.workflow("renamed").find(run.step)
    assert found is not None and found.name == "charge_card"


def test_c32_a_workflow_that_no_live_worker_serves_is_not_blocked() -> None:
    silent(boot(knows={"shop2": ["other"]}), 1000)
    run_id = on_unknown_step("shop2")
    swept()
    assert row(run_id)["status"] == "pending"


def test_c32_an_old_build_leaves_the_newer_step_alone_and_a_build_that_knows_it_takes_it() -> None:
    boot(knows={"shop3": ["old"]})
    newer = boot(knows={"shop3": ["old", "charge"]})
    run_id = on_unknown_step("shop3")
    swept()
    assert row(run_id)["status"] == "pending"
    assert engine.claim(run_id, boot(), '{"shop3/old": ""}') is None
    assert engine.claim(run_id, newer, '{"shop3/charge": ""}') is not None


def test_a_build_that_knew_the_step_nine_minutes_ago_keeps_it_from_blocking() -> None:
    boot(knows={"shop4": ["old"]})
    silent(boot(knows={"shop4": ["charge"]}), 540)
    run_id = on_unknown_step("shop4")
    swept()
    assert row(run_id)["status"] == "pending"


def test_the_sweep_lifts_its_block_itself_once_a_live_build_knows_the_step() -> None:
    boot(knows={"shop5": ["old"]})
    run_id = on_unknown_step("shop5")
    swept()
    assert row(run_id)["status"] == "blocked"
    boot(knows={"shop5": ["charge"]})
    swept()
    assert row(run_id)["cursor"] == {"step": "charge", "status": "pending", "attempt": 1, "item": None}


def test_a_block_for_another_reason_is_not_lifted() -> None:
    boot(knows={"shop6": ["charge"]})
    run_id = seed(
        "shop6", step="charge", status="blocked", owner=None, reason="Its worker died here 3 times."
    )
    swept()
    assert row(run_id)["status"] == "blocked"


def test_marks_are_honoured_by_the_claim_that_the_sweep_brought_about() -> None:
    run_id = seed("pure")
    actions.hold(engine_shown(run_id), ADA)
    lapse(run_id)
    with pytest.raises(Stopped):
        engine.claim(run_id, new_worker(), vendors())
    assert (row(run_id)["status"], row(run_id)["lease_owner"]) == ("held", None)


def engine_shown(run_id: str) -> actions.Shown:
    return actions.Shown(run_id, 7, row(run_id)["cursor"])
