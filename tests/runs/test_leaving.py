"""retry_later, wait, park, release: an owner gives its run back, each by its own statement."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from runs import actions, engine
from runs.errors import DatabaseLostWrites, LeaseLost, Stopped
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
    outputs_of,
    overtake,
    row,
    seed,
    shown,
    unchanged,
)

Leave = Callable[[Run], None]


def retry(run: Run) -> None:
    engine.retry_later(run, W1, pending(run), 4.0, error="Traceback…\nNotSent: refused")


def wait(run: Run) -> None:
    engine.wait(run, W1, run.onward(Status.WAITING, signal="approved", woken=True), 60.0, "approved")


def park(run: Run) -> None:
    engine.park(run, W1, Status.FAILED, "Act: it failed after 3 tries.", "Traceback…")


def release(run: Run) -> None:
    engine.release(run, W1, pending(run))


def pending(run: Run) -> dict[str, object]:
    return {"step": run.step, "status": "pending", "attempt": run.attempt, "item": None}


LEAVE = [retry, wait, park, release]


@pytest.mark.parametrize("leave", LEAVE)
def test_the_lease_is_off_and_the_epoch_unchanged(leave: Leave) -> None:
    run_id = seed("pure")
    leave(held_by(W1, run_id))
    now = row(run_id)
    assert (now["lease_owner"], now["lease_expires_at"], now["epoch"]) == (None, None, 7)


@pytest.mark.parametrize("leave", LEAVE)
def test_a_worker_that_lost_the_run_leaves_no_trace_on_it(leave: Leave) -> None:
    run_id = seed("pure")
    stale = held_by(W1, run_id)
    overtake(run_id)
    before = row(run_id)
    with pytest.raises(LeaseLost):
        leave(stale)
    assert unchanged(run_id, before)
    assert outputs_of(run_id) == []


@pytest.mark.parametrize("leave", LEAVE)
def test_a_cursor_that_moved_meanwhile_is_left_alone(leave: Leave) -> None:
    run_id = seed("pure")
    stale = held_by(W1, run_id)
    ask("UPDATE run_state SET cursor = cursor || '{\"attempt\": 6}' WHERE run_id = %(r)s", r=run_id)
    before = row(run_id)
    with pytest.raises(LeaseLost):
        leave(stale)
    assert unchanged(run_id, before)


@pytest.mark.parametrize("leave", LEAVE)
def test_an_absent_run_raises_the_alarm(leave: Leave) -> None:
    run = held_by(W1, seed("pure"))
    run.run_id = new_id("gone")
    with pytest.raises(DatabaseLostWrites):
        leave(run)


def test_a_retry_is_pending_until_its_time_with_the_traceback_beside_it() -> None:
    run_id = seed("pure")
    retry(held_by(W1, run_id))
    now = row(run_id)
    ahead = ask("SELECT wake_at - clock_timestamp() AS t FROM run_state WHERE run_id = %(r)s", r=run_id)[0][
        "t"
    ]
    assert (now["status"], kinds(run_id)) == ("pending", ["retry_scheduled"])
    assert 2 < ahead.total_seconds() <= 4
    assert outputs_of(run_id, "error")[0]["raw"].startswith("Traceback")


def test_a_judged_no_raises_the_generation_so_that_the_next_doing_has_another_key() -> None:
    run_id = seed("keyed")
    run = held_by(W1, run_id)
    key = run.key()
    engine.retry_later(run, W1, pending(run), 1.0, raise_generation=True)
    again = held_by(W1, run_id)
    assert (again.generation, row(run_id)["may_send_until"], row(run_id)["first_started_at"]) == (
        1,
        None,
        None,
    )
    assert again.key() != key


def test_a_hold_is_honoured_instead_of_a_retry() -> None:
    run_id = seed("pure")
    run = held_by(W1, run_id)
    actions.hold(shown(run_id), ADA)
    with pytest.raises(Stopped):
        retry(run)
    assert row(run_id)["status"] == "held"


def test_an_unknown_call_that_asks_again_later_stays_started_and_a_hold_waits_for_its_settling() -> None:
    run_id = seed("keyed")
    run = held_by(W1, run_id)
    actions.hold(shown(run_id), ADA)
    engine.retry_later(run, W1, {**run.cursor, "unknown": True}, 1.0)
    now = row(run_id)
    assert (now["status"], "hold" in now["signals"]["marks"], now["lease_owner"]) == ("started", True, None)


def test_a_wait_names_its_signal_and_is_due_in_its_time() -> None:
    run_id = seed("pure")
    wait(held_by(W1, run_id))
    now = row(run_id)
    assert (now["status"], now["cursor"]["signal"], kinds(run_id)) == ("waiting", "approved", ["waiting"])
    assert now["wake_at"] is not None


def test_a_signal_that_came_first_makes_the_wait_due_at_once() -> None:
    run_id = seed("pure")
    assert actions.signal(run_id, "act", 0, "approved", True, ADA)
    wait(held_by(W1, run_id))
    due = ask("SELECT wake_at <= clock_timestamp() AS due FROM run_state WHERE run_id = %(r)s", r=run_id)
    assert due == [{"due": True}]


def test_a_failed_run_tells_why_in_a_sentence_and_keeps_the_traceback() -> None:
    run_id = seed("pure")
    park(held_by(W1, run_id))
    now = row(run_id)
    assert (now["status"], now["cursor"]["reason"]) == ("failed", "Act: it failed after 3 tries.")
    assert (kinds(run_id), outputs_of(run_id, "error")[0]["raw"]) == (["failed"], "Traceback…")


def test_a_release_takes_back_a_start_mark_and_honours_a_hold() -> None:
    run_id = seed("pure")
    run = held_by(W1, run_id)
    release(run)
    assert (row(run_id)["status"], kinds(run_id)) == ("pending", ["released"])
    held = seed("pure")
    stopped = held_by(W1, held)
    actions.hold(shown(held), ADA)
    with pytest.raises(Stopped):
        release(stopped)
    assert row(held)["status"] == "held"
    assert log_of(held)[-1]["kind"] == "held"
