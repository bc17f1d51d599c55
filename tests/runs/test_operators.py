"""take_over, hold, lift, cancel, flag, rewind, retry_failed, nudge: a person moves the run that was shown, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runs import actions, engine
from runs.actions import NotDone, Shown
from runs.errors import LeaseLost, Stopped
from runs.results import stored
from tests.support.factories import (
    ADA,
    BEN,
    W1,
    ask,
    cases_of,
    held_by,
    log_of,
    new_id,
    row,
    seed,
    shown,
    unchanged,
)

Verb = Callable[[Shown], Any]


def rewind(seen: Shown) -> Any:
    return actions.rewind(seen, ADA, "act", ["act", "tidy"])


VERBS: dict[str, Verb] = {
    "take_over": lambda seen: actions.take_over(seen, ADA),
    "hold": lambda seen: actions.hold(seen, ADA),
    "lift": lambda seen: actions.lift(seen, ADA),
    "cancel": lambda seen: actions.cancel(seen, ADA),
    "flag": lambda seen: actions.flag(seen, ADA),
    "retry_failed": lambda seen: actions.retry_failed(seen, ADA),
    "rewind": rewind,
}
# Where each verb acts at once, and the status it leads to.
AT_ONCE = {
    "take_over": ("pending", "pending"),
    "hold": ("pending", "held"),
    "lift": ("held", "pending"),
    "cancel": ("pending", "cancelled"),
    "flag": ("pending", "in_doubt"),
    "retry_failed": ("failed", "pending"),
    "rewind": ("failed", "pending"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_on_a_run_that_nobody_moves_it_acts_at_once_and_raises_the_epoch(verb: str) -> None:
    before, after = AT_ONCE[verb]
    run_id = seed("pure", status=before, owner=None)
    VERBS[verb](shown(run_id))
    now = row(run_id)
    assert (now["status"], now["epoch"], now["lease_owner"]) == (after, 8, None)
    entry = log_of(run_id)[-1]
    assert (entry["actor"], entry["reason"]) == ("ada", "The buyer rang up.")


@pytest.mark.parametrize("verb", VERBS)
def test_what_has_moved_since_it_was_shown_is_left_alone_and_told(verb: str) -> None:
    before, _ = AT_ONCE[verb]
    run_id = seed("pure", status=before, owner=None)
    seen = shown(run_id)
    ask("UPDATE run_state SET epoch = epoch + 1 WHERE run_id = %(r)s", r=run_id)
    standing = row(run_id)
    with pytest.raises(NotDone, match=r"stands at step act, .* epoch 8, owner nobody"):
        VERBS[verb](seen)
    assert unchanged(run_id, standing)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("status", ["done", "cancelled", "paused_by_v3"])
def test_a_finished_run_and_one_with_a_foreign_status_are_left_alone(verb: str, status: str) -> None:
    run_id = seed("pure", status=status, owner=None)
    standing = row(run_id)
    with pytest.raises(NotDone):
        VERBS[verb](shown(run_id))
    assert unchanged(run_id, standing)


@pytest.mark.parametrize("verb", VERBS)
def test_an_absent_run_is_told_as_absent(verb: str) -> None:
    with pytest.raises(NotDone, match="There is no run"):
        VERBS[verb](Shown(new_id(), 7, {"step": "act", "status": "pending"}))


def test_taken_over_the_old_owners_next_write_matches_no_row() -> None:
    run_id = seed("keyed")
    stale = held_by(W1, run_id)
    taken = actions.take_over(shown(run_id), ADA)
    assert (taken["owner_before"], taken["case_id"]) == (W1.owner, None)
    with pytest.raises(LeaseLost):
        engine.commit(
            stale, W1, stored({}), {"step": "tidy", "status": "pending", "attempt": 0, "item": None}
        )


def test_an_item_that_went_by_is_no_reason_to_refuse_a_take_over() -> None:
    run_id = seed("loop", guard="repeat_ok", item="a", items_done=1)
    seen = shown(run_id)
    ask(
        """UPDATE run_state SET cursor = cursor || '{"item": "b", "items_done": 2}' WHERE run_id = %(r)s""",
        r=run_id,
    )
    actions.take_over(seen, ADA)
    assert row(run_id)["epoch"] == 8


def test_a_take_over_of_an_unprotected_call_opens_its_case_and_the_owner_may_still_land() -> None:
    run_id = seed("unprotected")
    owner = held_by(W1, run_id)
    taken = actions.take_over(shown(run_id), ADA)
    (case,) = cases_of(run_id)
    assert (taken["case_id"], row(run_id)["status"], case["epoch"], case["held_epoch"]) == (
        case["id"],
        "in_doubt",
        7,
        8,
    )
    onward = {"step": "tidy", "status": "pending", "attempt": 0, "item": None}
    assert engine.land_late(owner, W1, stored({"charge": "ch_1"}), onward)
    assert row(run_id)["step"] == "tidy"


def test_a_person_who_took_over_has_looked_so_lapses_are_forgotten() -> None:
    run_id = seed("pure", lapses=["w0#0", "w0#1"])
    actions.take_over(shown(run_id), ADA)
    assert row(run_id)["lapses"] == []


@pytest.mark.parametrize("verb", ["hold", "cancel", "flag"])
def test_on_a_good_lease_it_leaves_a_mark_and_the_owner_goes_on_to_its_boundary(verb: str) -> None:
    run_id = seed("pure")
    seen = shown(run_id)
    owner = held_by(W1, run_id)
    VERBS[verb](seen)
    now = row(run_id)
    assert (now["status"], now["epoch"], now["lease_owner"], list(now["signals"]["marks"])) == (
        "started",
        7,
        W1.owner,
        [verb],
    )
    with pytest.raises(Stopped):
        engine.commit(
            owner,
            W1,
            stored({}),
            {"step": "tidy", "status": "started", "attempt": 1, "item": None, "guard": "pure"},
        )
    now = row(run_id)
    assert (now["status"], now["step"], now["signals"]) == (
        {"hold": "held", "cancel": "cancelled", "flag": "in_doubt"}[verb],
        "tidy",
        {},
    )


@pytest.mark.parametrize("verb", ["hold", "cancel"])
def test_a_mark_on_a_good_lease_demands_only_that_the_run_is_not_finished(verb: str) -> None:
    run_id = seed("pure")
    seen = shown(run_id)
    ask("UPDATE run_state SET cursor = cursor || '{\"attempt\": 5}' WHERE run_id = %(r)s", r=run_id)
    VERBS[verb](seen)
    assert verb in row(run_id)["signals"]["marks"]


def test_a_flag_demands_the_step_shown() -> None:
    run_id = seed("pure")
    seen = shown(run_id)
    ask('UPDATE run_state SET cursor = cursor || \'{"step": "tidy"}\' WHERE run_id = %(r)s', r=run_id)
    with pytest.raises(NotDone):
        actions.flag(seen, ADA)
    assert cases_of(run_id) == []


def test_a_flag_opens_its_case_at_once_and_the_parked_run_names_it() -> None:
    run_id = seed("keyed")
    owner = held_by(W1, run_id)
    flagged = actions.flag(shown(run_id), ADA)
    (case,) = cases_of(run_id)
    assert (case["id"], case["opened_by"], case["held_epoch"]) == (flagged["case_id"], "ada", None)
    with pytest.raises(Stopped):
        engine.commit(
            owner, W1, stored({}), {"step": "tidy", "status": "pending", "attempt": 0, "item": None}
        )
    assert row(run_id)["cursor"]["case"] == case["id"]


@pytest.mark.parametrize(
    ("marks", "stands"), [("hold flag cancel", "cancelled"), ("hold flag", "in_doubt"), ("hold", "held")]
)
def test_cancel_goes_before_flag_before_hold(marks: str, stands: str) -> None:
    run_id = seed("pure")
    owner = held_by(W1, run_id)
    for verb in marks.split():
        VERBS[verb](shown(run_id))
    with pytest.raises(Stopped):
        engine.commit(
            owner,
            W1,
            stored({}),
            {"step": "tidy", "status": "started", "attempt": 1, "item": None, "guard": "pure"},
        )
    assert row(run_id)["status"] == stands


def test_a_hold_that_is_only_marked_is_taken_back_and_others_stay() -> None:
    run_id = seed("pure")
    actions.hold(shown(run_id), ADA)
    actions.cancel(shown(run_id), BEN)
    actions.lift(shown(run_id), ADA)
    now = row(run_id)
    assert (list(now["signals"]["marks"]), now["epoch"], now["lease_owner"]) == (["cancel"], 7, W1.owner)


def test_lifting_what_nothing_holds_is_told() -> None:
    with pytest.raises(NotDone):
        actions.lift(shown(seed("pure", status="pending", owner=None)), ADA)


def test_a_run_in_doubt_is_not_cancelled_before_its_case_is_resolved() -> None:
    run_id = seed("pure", status="in_doubt", owner=None)
    with pytest.raises(NotDone):
        actions.cancel(shown(run_id), ADA)
