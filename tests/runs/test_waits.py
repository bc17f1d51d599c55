"""Waiting: a pure step gives its lease back and runs again from its top, at its time or for its signal."""

from __future__ import annotations

from typing import Any

import pytest

from runs import actions
from runs.context import Context
from tests.support import flows
from tests.support.factories import ADA, ask, kinds, row, seed, shown
from tests.support.working import Worker


def asking(**state: Any) -> str:
    return seed("asking", status="pending", attempt=0, owner=None, completed={}, **state)


def approve(run_id: str, payload: Any = "yes", signal_id: str = "s1", generation: int = 0) -> bool:
    return actions.signal(run_id, "act", generation, "approved", payload, ADA, signal_id=signal_id)


def test_it_waits_with_nobody_holding_it_and_names_what_for_and_who_may() -> None:
    run_id = asking()
    assert Worker().drive(run_id) == "waiting"
    now = row(run_id)
    assert (now["lease_owner"], now["cursor"]["signal"], now["cursor"]["may"], now["wake_at"]) == (
        None,
        "approved",
        "manager",
        None,
    )


def test_the_signal_wakes_it_and_its_step_runs_again_with_the_attempt_unchanged() -> None:
    run_id, attempts = asking(), []
    flows.on(run_id, "act", lambda ctx: attempts.append(ctx.attempt))
    worker = Worker()
    worker.drive(run_id)
    approve(run_id)
    assert worker.drive(run_id) == "done"
    assert attempts == [1, 1]
    now = row(run_id)
    assert now["completed"]["act"] == {"answer": "yes"}
    assert now["signals"] == {"told": [], "consumed": ["s1"]}


def test_a_signal_that_came_before_it_waited_is_found() -> None:
    run_id = asking()
    approve(run_id)
    assert Worker().drive(run_id) == "done"
    assert flows.called(run_id, "act") == 1


def test_the_same_signal_again_after_it_was_consumed_is_no_second_answer() -> None:
    run_id, worker = asking(), Worker()
    approve(run_id)
    worker.drive(run_id)
    assert approve(run_id, "no") is False
    assert row(run_id)["completed"]["act"] == {"answer": "yes"}


def test_a_rewind_drops_what_was_told_for_the_step_and_asks_again() -> None:
    run_id, worker = asking(), Worker()
    worker.drive(run_id)
    actions.rewind(shown(run_id), ADA, "act", ["act", "tidy"])
    assert worker.drive(run_id) == "waiting"
    with pytest.raises(actions.NotDone):
        approve(run_id, generation=0)
    approve(run_id, "again", "s2", generation=1)
    assert worker.drive(run_id) == "done"
    assert row(run_id)["completed"]["act"] == {"answer": "again"}


def test_a_cancel_during_the_wait_ends_it_at_once() -> None:
    run_id = asking()
    Worker().drive(run_id)
    actions.cancel(shown(run_id), ADA)
    assert (row(run_id)["status"], kinds(run_id)[-1]) == ("cancelled", "cancelled")


def test_a_sleep_is_counted_from_the_first_start_of_its_step() -> None:
    run_id, worker = (
        seed("napping", status="pending", attempt=0, owner=None, run_input={"seconds": 3600}),
        Worker(),
    )
    assert worker.drive(run_id) == "waiting"
    left = ask(
        "SELECT extract(epoch FROM wake_at - clock_timestamp())::float8 AS s FROM run_state WHERE run_id = %(r)s",
        r=run_id,
    )
    assert 3500 < left[0]["s"] <= 3600
    ask(
        """UPDATE run_state SET wake_at = clock_timestamp(), first_started_at = first_started_at - interval '1 hour'
           WHERE run_id = %(r)s""",
        r=run_id,
    )
    assert worker.drive(run_id) == "done"
    assert kinds(run_id).count("woken") == 1


def test_an_effect_may_not_wait() -> None:
    run_id = seed("keyed", status="pending", attempt=0, owner=None)
    flows.on(run_id, "act", lambda ctx: ctx.sleep_until(1.0))
    # It is left after its body began, so what it did before that is unknown.
    assert Worker().drive(run_id) == "in_doubt"
    assert "may not wait" in row(run_id)["cursor"]["reason"]


def test_a_body_that_swallows_every_exception_still_waits() -> None:
    run_id = asking()

    def greedy(ctx: Context) -> Any:
        try:
            return ctx.wait_for_signal("approved", may="ops")
        except Exception:
            return None

    flows.on(run_id, "act", greedy)
    assert Worker().drive(run_id) == "waiting"
