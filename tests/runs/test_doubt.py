"""doubt, hold_lapsed, land_late, not_sent: a call whose outcome nobody recorded is held, and its owner may still tell."""

from __future__ import annotations

from typing import Any

import pytest

from runs import actions, engine
from runs.errors import DatabaseLostWrites, LeaseLost
from runs.results import stored
from runs.run import Run
from tests.support.factories import (
    ADA,
    W1,
    W2,
    ask,
    cases_of,
    held_by,
    kinds,
    lapse,
    new_id,
    outputs_of,
    overtake,
    row,
    seed,
    shown,
    unchanged,
)

NEXT = {"step": "tidy", "status": "pending", "attempt": 0, "item": None}
AGAIN = {"step": "act", "status": "pending", "attempt": 1, "item": None}


def held_in_doubt(**state: Any) -> tuple[str, Run]:
    """A call whose worker went silent, held by the sweep; and its owner, who is back."""
    run_id = seed("unprotected", amount={"amount": "4.20", "currency": "EUR"}, **state)
    owner = held_by(W1, run_id)
    lapse(run_id)
    assert engine.hold_lapsed(run_id, 7) is not None
    return run_id, owner


def land(run: Run, result: Any = None) -> bool:
    return engine.land_late(run, W1, stored(result or {"charge": "ch_1"}), NEXT)


def test_the_owner_in_doubt_holds_the_run_and_opens_the_case_in_one_statement() -> None:
    run_id = seed("unprotected", amount={"amount": "4.20", "currency": "EUR"})
    engine.doubt(held_by(W1, run_id), W1, "Testbank gave no answer.", error="Traceback…", raw="{half")
    now, (case,) = row(run_id), cases_of(run_id)
    assert (now["status"], now["lease_owner"], now["epoch"]) == ("in_doubt", None, 7)
    assert (case["owner"], case["epoch"], case["held_epoch"], str(case["amount"])) == (
        W1.owner,
        7,
        7,
        "4.200000000"[:4],
    )
    assert {kept["kind"] for kept in outputs_of(run_id)} == {"raw", "error"}
    assert kinds(run_id) == ["in_doubt"]


def test_a_doubt_by_a_worker_that_lost_the_run_opens_nothing() -> None:
    run_id = seed("keyed")
    stale = held_by(W1, run_id)
    overtake(run_id)
    with pytest.raises(LeaseLost):
        engine.doubt(stale, W1, "Unknown.")
    assert (cases_of(run_id), row(run_id)["status"]) == ([], "started")


def test_a_doubt_whose_answer_was_lost_is_one_case() -> None:
    run_id = seed("unprotected")
    first, again = held_by(W1, run_id), held_by(W1, run_id)
    engine.doubt(first, W1, "Unknown.")
    engine.doubt(again, W1, "Unknown.")
    assert [case["attempts"] for case in cases_of(run_id)] == [1]


def test_a_doubt_about_an_absent_run_raises_the_alarm() -> None:
    run = held_by(W1, seed("unprotected"))
    run.run_id = new_id("gone")
    with pytest.raises(DatabaseLostWrites):
        engine.doubt(run, W1, "Unknown.")


def test_a_lapsed_call_is_held_with_the_epoch_kept() -> None:
    run_id, _ = held_in_doubt()
    now, (case,) = row(run_id), cases_of(run_id)
    assert (now["status"], now["epoch"], now["lease_owner"]) == ("in_doubt", 7, None)
    assert (case["owner"], case["start_cursor"]["status"], case["currency"]) == (W1.owner, "started", "EUR")


@pytest.mark.parametrize(
    ("workflow", "state", "epoch"),
    [
        ("unprotected", {"lease": 30.0}, 7),
        ("unprotected", {"lease": -1.0}, 6),
        ("unprotected", {"lease": -1.0, "status": "pending"}, 7),
        ("keyed", {"lease": -1.0}, 7),
        ("", {"lease": -1.0, "guard": None}, 7),
    ],
    ids=["good-lease", "another-epoch", "pending", "keyed", "not-ours"],
)
def test_what_is_no_lapsed_unprotected_call_is_not_held(
    workflow: str, state: dict[str, Any], epoch: int
) -> None:
    run_id = seed(workflow, **state)
    before = row(run_id)
    assert engine.hold_lapsed(run_id, epoch) is None
    assert unchanged(run_id, before)


def test_an_absent_run_is_not_held() -> None:
    assert engine.hold_lapsed(new_id(), 7) is None


def test_a_lapsed_row_of_ours_that_names_no_guard_counts_as_unprotected() -> None:
    run_id = seed("keyed", guard=None, lease=-1)
    assert engine.hold_lapsed(run_id, 7) is not None


def test_a_further_unknown_call_joins_the_open_case() -> None:
    run_id, _ = held_in_doubt()
    text = """UPDATE run_state SET cursor = cursor || '{"status": "started"}' WHERE run_id = %(r)s"""
    ask(text, r=run_id)
    assert engine.hold_lapsed(run_id, 7) is not None
    (case,) = cases_of(run_id)
    assert (case["attempts"], case["version"]) == (2, 2)


def test_the_late_result_lands_and_the_run_goes_on_with_nobody_holding_it() -> None:
    run_id, owner = held_in_doubt()
    assert land(owner)
    now, (case,) = row(run_id), cases_of(run_id)
    assert (now["status"], now["step"], now["completed"]["act"], now["lease_owner"]) == (
        "pending",
        "tidy",
        {"charge": "ch_1"},
        None,
    )
    assert (case["outcome"], case["closed_at"] is not None) == ("landed_late", True)
    assert kinds(run_id) == ["in_doubt", "landed_late"]


def test_a_large_late_result_and_its_labels_are_kept() -> None:
    run_id, owner = held_in_doubt()
    large = {"reference": "CH-1", "text": "x" * 9000}
    assert land(owner, large)
    assert [kept["value"] for kept in outputs_of(run_id, "result")] == [large]
    assert ask("SELECT value FROM run_label WHERE run_id = %(r)s AND name = 'reference'", r=run_id) == [
        {"value": "CH-1"}
    ]


def test_it_lands_once() -> None:
    _, owner = held_in_doubt()
    assert land(owner)
    assert not land(owner)


def test_a_call_that_never_left_makes_the_step_pending_again() -> None:
    run_id, owner = held_in_doubt()
    assert engine.not_sent(owner, W1, AGAIN)
    assert (row(run_id)["status"], row(run_id)["step"], cases_of(run_id)[0]["outcome"]) == (
        "pending",
        "act",
        "not_sent",
    )


def test_where_another_unknown_call_joined_one_never_sent_settles_nothing() -> None:
    run_id, owner = held_in_doubt()
    ask("UPDATE run_doubt SET attempts = 2 WHERE run_id = %(r)s", r=run_id)
    assert not engine.not_sent(owner, W1, AGAIN)
    assert row(run_id)["status"] == "in_doubt"


@pytest.mark.parametrize("tell", ["land", "not_sent"])
@pytest.mark.parametrize(
    "who",
    [
        "another owner",
        "another epoch",
        "another start",
        "a case of a person",
        "a closed case",
        "a row that moved",
    ],
)
def test_only_the_call_that_the_case_names_may_tell(tell: str, who: str) -> None:
    run_id, owner = held_in_doubt()
    if who == "another owner":
        owner.owner = W2.owner
    elif who == "another epoch":
        owner.epoch = 6
    elif who == "another start":
        owner.cursor = {**owner.cursor, "attempt": 3}
    else:
        change = {
            "a case of a person": "UPDATE run_doubt SET opened_by = 'ada' WHERE run_id = %(r)s",
            "a closed case": "UPDATE run_doubt SET closed_at = clock_timestamp() WHERE run_id = %(r)s",
            "a row that moved": "UPDATE run_state SET epoch = epoch + 1 WHERE run_id = %(r)s",
        }[who]
        ask(change, r=run_id)
    before = row(run_id)
    assert not (land(owner) if tell == "land" else engine.not_sent(owner, W1, AGAIN))
    assert unchanged(run_id, before)


def test_a_cancel_that_waited_for_the_call_is_honoured_when_it_lands() -> None:
    run_id = seed("unprotected")
    owner = held_by(W1, run_id)
    actions.cancel(shown(run_id), ADA)
    lapse(run_id)
    engine.hold_lapsed(run_id, 7)
    assert land(owner)
    now = row(run_id)
    assert (now["status"], now["completed"]["act"], now["signals"]) == ("cancelled", {"charge": "ch_1"}, {})
