"""claim: a free or lapsed run goes to one worker, at the next epoch."""

from __future__ import annotations

import pytest

from runs import engine
from runs.errors import Stopped
from runs.fence import Writer
from runs.run import Run
from tests.support.factories import W1, W2, kinds, lapse, log_of, new_id, new_worker, row, seed, vendors


def claim(run_id: str, writer: Writer | None = None) -> Run | None:
    return engine.claim(run_id, writer or new_worker(), vendors())


def test_a_pending_run_is_claimed_at_the_next_epoch() -> None:
    run_id = seed("pure", status="pending", attempt=0, owner=None)
    run = claim(run_id, W2)
    now = row(run_id)
    assert run is not None
    assert (run.epoch, run.owner, run.cursor) == (8, W2.owner, now["cursor"])
    assert (now["epoch"], now["lease_owner"], now["leased"]) == (8, W2.owner, True)
    assert kinds(run_id) == ["claimed"]


def test_a_lapsed_run_is_taken_over_and_the_log_says_since_when() -> None:
    run_id = seed("keyed", lease=-3)
    run = claim(run_id, W2)
    assert run is not None and run.epoch == 8
    entry = log_of(run_id)[-1]
    assert (entry["kind"], entry["owner_before"], entry["owner_after"]) == ("taken_over", W1.owner, W2.owner)
    assert entry["lapsed_at"] < entry["at"]


def test_an_absent_run_is_not_claimed() -> None:
    assert claim(new_id()) is None


@pytest.mark.parametrize(
    "status", ["held", "in_doubt", "blocked", "done", "failed", "cancelled", "paused_by_v3"]
)
def test_a_run_that_no_worker_may_move_is_not_claimed(status: str) -> None:
    run_id = seed("pure", status=status, owner=None)
    assert claim(run_id) is None
    assert kinds(run_id) == []


@pytest.mark.parametrize(
    ("workflow", "state"),
    [
        ("pure", {"lease": 30.0}),
        ("pure", {"status": "pending", "owner": None, "wake": 5.0}),
        ("pure", {"status": "waiting", "owner": None, "wake": 5.0}),
        ("pure", {"status": "waiting", "owner": None}),
        ("unprotected", {"lease": -3.0}),
        ("unprotected", {"owner": None}),
        ("keyed", {"lease": -3.0, "guard": None}),
        ("pure", {"status": "pending", "owner": None, "step": "of_a_newer_build"}),
        ("of_a_newer_build", {"status": "pending", "owner": None}),
        ("", {"status": "pending", "owner": None}),
    ],
    ids=[
        "leased",
        "retry-ahead",
        "timer-ahead",
        "waits-for-a-signal",
        "lapsed-unprotected",
        "unprotected-unowned",
        "no-guard-named",
        "unknown-step",
        "unknown-workflow",
        "no-workflow-of-ours",
    ],
)
def test_what_is_not_free_is_left_alone(workflow: str, state: dict[str, object]) -> None:
    run_id = seed(workflow, **state)  # type: ignore[arg-type]
    assert claim(run_id) is None
    assert row(run_id)["epoch"] == 7


def test_a_waiting_run_whose_time_has_come_is_woken_as_pending() -> None:
    run_id = seed("pure", status="waiting", owner=None, wake=-1)
    run = claim(run_id)
    assert run is not None and run.cursor["status"] == "pending"
    assert kinds(run_id) == ["woken"]
    assert row(run_id)["wake_at"] is None


def test_the_lapsed_owner_of_a_keyed_call_leaves_the_moment_until_which_it_may_send() -> None:
    run_id = seed("keyed", lease=30)
    until = row(run_id)["lease_expires_at"]
    lapse(run_id, 2)
    run = claim(run_id)
    assert run is not None and run.may_send_until is not None
    assert run.may_send_until < until


def test_two_lapses_leave_the_run_to_a_process_without_another_such_run() -> None:
    first, second = (seed("pure", lease=-1, lapses=["w0#0"]) for _ in range(2))
    third = new_worker()
    assert claim(first, third) is not None
    assert claim(second, third) is None
    assert claim(second, new_worker()) is not None


def test_the_third_lapse_by_a_second_owner_blocks_the_run() -> None:
    run_id = seed("pure", lease=-1, lapses=["w0#0", "w0#0"])
    with pytest.raises(Stopped):
        claim(run_id)
    now = row(run_id)
    assert (now["status"], now["lease_owner"], now["epoch"]) == ("blocked", None, 8)
    assert "died here 3 times" in now["cursor"]["reason"]


def test_three_lapses_of_one_owner_do_not_block() -> None:
    run_id = seed("pure", lease=-1, lapses=[W1.owner, W1.owner])
    assert claim(run_id) is not None
