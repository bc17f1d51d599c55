"""mark_seen: a failure leaves the list of what needs attention, until the run fails again."""

from __future__ import annotations

import pytest

from runs import actions, checking
from runs.actions import NotDone
from tests.support.factories import ADA, BEN, ask, log_of, row, seed, shown, unchanged


def seen(run_id: str) -> bool:
    """Does this failure count as seen?"""
    text = "SELECT s.epoch = r.epoch AS seen FROM run_seen AS s JOIN run_state AS r USING (run_id) WHERE run_id = %(r)s"
    found = ask(text, r=run_id)
    return bool(found and found[0]["seen"])


def test_a_failure_is_seen_and_the_run_stays_as_it_is() -> None:
    run_id = seed("pure", status="failed", owner=None)
    before = row(run_id)
    assert not seen(run_id)
    assert actions.mark_seen(shown(run_id), ADA)["epoch"] == 7
    assert seen(run_id) and unchanged(run_id, before | {"seen_epoch": 7})


def test_the_log_tells_it_and_the_log_still_adds_up() -> None:
    run_id = seed("pure", status="failed", owner=None)
    actions.mark_seen(shown(run_id), ADA)
    last = log_of(run_id)[-1]
    assert (last["kind"], last["actor"], last["reason"]) == ("seen", "ada", "The buyer rang up.")
    assert last["cursor_before"] == last["cursor_after"] == row(run_id)["cursor"]
    assert list(checking.violations(checking.Checked(), run_id)) == []


def test_a_second_mark_of_the_same_failure_writes_nothing() -> None:
    run_id = seed("pure", status="failed", owner=None)
    page = shown(run_id)
    actions.mark_seen(page, ADA)
    length = len(log_of(run_id))
    with pytest.raises(NotDone):
        actions.mark_seen(page, BEN)
    assert len(log_of(run_id)) == length
    assert ask("SELECT seen_by FROM run_seen WHERE run_id = %(r)s", r=run_id)[0]["seen_by"] == "ada"


def test_a_new_failure_is_unseen_again_and_can_be_marked() -> None:
    run_id = seed("pure", status="failed", owner=None)
    actions.mark_seen(shown(run_id), ADA)
    actions.retry_failed(shown(run_id), BEN)
    ask("""UPDATE run_state SET cursor = cursor || '{"status": "failed"}' WHERE run_id = %(r)s""", r=run_id)
    assert not seen(run_id)
    actions.mark_seen(shown(run_id), BEN)
    assert seen(run_id)


@pytest.mark.parametrize("status", ["pending", "started", "blocked", "in_doubt", "done", "parked_elsewhere"])
def test_only_a_failed_run_is_marked_seen(status: str) -> None:
    run_id = seed("pure", status=status, owner=None)
    with pytest.raises(NotDone):
        actions.mark_seen(shown(run_id), ADA)
    assert not seen(run_id)


def test_a_failure_that_is_not_the_one_shown_is_left_unseen() -> None:
    run_id = seed("pure", status="failed", owner=None)
    page = shown(run_id)
    ask("UPDATE run_state SET epoch = epoch + 1 WHERE run_id = %(r)s", r=run_id)
    with pytest.raises(NotDone):
        actions.mark_seen(page, ADA)
    assert not seen(run_id)
