"""commit_step: a result and the next position in one row version, for the worker that holds the run."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings

from runs import actions, catalogue, engine
from runs.errors import DatabaseLostWrites, LeaseLost, Stopped
from runs.results import stored
from runs.run import Run, mark
from runs.states import Status
from tests.support.factories import (
    ADA,
    W1,
    W2,
    ask,
    held_by,
    kinds,
    lapse,
    log_of,
    new_id,
    outputs_of,
    overtake,
    row,
    seed,
    shown,
    unchanged,
)

NEXT = mark("tidy", Status.STARTED, 1, guard="pure")
END = mark("tidy", Status.DONE, 1)


def commit(run: Run, result: Any = None, onward: dict[str, Any] = NEXT, **more: Any) -> None:
    engine.commit(run, W1, stored({"paid": True} if result is None else result), onward, **more)


def test_the_result_lands_and_the_next_step_is_begun_in_one_write() -> None:
    run_id = seed("unprotected", lease=5)
    run = held_by(W1, run_id)
    commit(run)
    now = row(run_id)
    assert now["completed"] == {"credit_check": {"score": 712}, "act": {"paid": True}}
    assert (now["cursor"], now["epoch"], now["lease_owner"]) == (NEXT, 7, W1.owner)
    entry = log_of(run_id)[-1]
    assert (entry["kind"], entry["completed_step"], entry["began_step"]) == ("step_completed", "act", "tidy")
    assert entry["build"] == "test"


def test_a_commit_extends_the_lease() -> None:
    run_id = seed("unprotected", lease=2)
    before = row(run_id)["lease_expires_at"]
    commit(held_by(W1, run_id))
    assert (row(run_id)["lease_expires_at"] - before).total_seconds() > 25


def test_the_last_commit_takes_the_lease_off_and_is_logged_as_done() -> None:
    run_id = seed("pure", step="tidy")
    commit(held_by(W1, run_id), onward=END, keep=False)
    now = row(run_id)
    assert (now["status"], now["lease_owner"], now["lease_expires_at"]) == ("done", None, None)
    assert kinds(run_id) == ["done"]


def test_where_it_drains_the_commit_gives_the_run_back_in_the_same_statement() -> None:
    run_id = seed("unprotected")
    commit(held_by(W1, run_id), onward=mark("tidy", Status.PENDING, 0), keep=False)
    now = row(run_id)
    assert (now["status"], now["lease_owner"], now["epoch"]) == ("pending", None, 7)
    assert log_of(run_id)[-1]["lease_event"] == "released"


def test_a_late_commit_while_the_epoch_stands_is_accepted_and_logged_as_late() -> None:
    run_id = seed("keyed")
    lapse(run_id, 4)
    commit(held_by(W1, run_id))
    entry = log_of(run_id)[-1]
    assert entry["kind"] == "step_completed"
    assert 4 <= (entry["at"] - entry["lapsed_at"]).total_seconds() < 30


def test_a_worker_that_lost_the_run_commits_nothing() -> None:
    run_id = seed("keyed")
    stale = held_by(W1, run_id)
    overtake(run_id)
    before = row(run_id)
    with pytest.raises(LeaseLost):
        commit(stale)
    assert unchanged(run_id, before)


def test_a_cursor_that_a_hand_moved_refuses_the_commit() -> None:
    run_id = seed("keyed")
    stale = held_by(W1, run_id)
    ask("UPDATE run_state SET cursor = cursor || '{\"attempt\": 5}' WHERE run_id = %(r)s", r=run_id)
    with pytest.raises(LeaseLost):
        commit(stale)
    assert "act" not in row(run_id)["completed"]


def test_a_run_that_is_gone_raises_the_alarm() -> None:
    run = held_by(W1, seed("keyed"))
    run.run_id = new_id("gone")
    with pytest.raises(DatabaseLostWrites, match="restore or a failover"):
        commit(run)


def test_a_finished_run_takes_no_second_commit() -> None:
    run_id = seed("pure", step="tidy")
    first, second = held_by(W1, run_id), held_by(W1, run_id)
    commit(first, onward=END, keep=False)
    second.cursor = {**second.cursor, "attempt": 9}
    with pytest.raises(LeaseLost):
        commit(second, {"other": True}, onward=END, keep=False)
    assert row(run_id)["completed"]["tidy"] == {"paid": True}


def test_a_result_over_eight_kilobytes_stands_beside_the_row_and_is_read_back_by_the_next_owner() -> None:
    run_id = seed("keyed")
    large = {"text": "é" * settings.LEASEBOARD_RESULT_BYTES}
    commit(held_by(W1, run_id), large)
    pointer = row(run_id)["completed"]["act"]["_output"]
    assert (pointer["step"], pointer["epoch"]) == ("act", 7)
    assert [kept["value"] for kept in outputs_of(run_id, "result")] == [large]
    lapse(run_id)
    run = engine.claim(run_id, W1, json.dumps({"keyed/tidy": ""}))
    assert run is not None and run.completed["act"] == large


def test_once_the_whole_map_is_large_a_small_result_stands_beside_it_too() -> None:
    filler = {f"step_{n}": "x" * 8000 for n in range(9)}
    run_id = seed("keyed", completed=filler)
    commit(held_by(W1, run_id))
    assert "_output" in row(run_id)["completed"]["act"]


def test_labels_of_a_result_are_written_by_the_same_statement_and_not_by_a_loser() -> None:
    run_id = seed("unprotected")
    stale = held_by(W1, run_id)
    commit(replace(stale), {"reference": "CH-77"})
    assert ask("SELECT value FROM run_label WHERE run_id = %(r)s AND name = 'reference'", r=run_id) == [
        {"value": "CH-77"}
    ]
    other = seed("unprotected")
    loser = held_by(W1, other)
    overtake_by_hand(other)
    with pytest.raises(LeaseLost):
        commit(loser, {"reference": "CH-78", "text": "x" * 9000})
    assert ask("SELECT 1 FROM run_label WHERE run_id = %(r)s AND name = 'reference'", r=other) == []
    assert outputs_of(other) == []


def overtake_by_hand(run_id: str) -> None:
    """An unprotected call is taken over by a person only."""
    actions.take_over(shown(run_id), ADA)


def test_a_mark_stops_the_worker_with_its_result_recorded() -> None:
    run_id = seed("unprotected")
    run = held_by(W1, run_id)
    actions.hold(shown(run_id), ADA)
    with pytest.raises(Stopped):
        commit(run)
    now = row(run_id)
    assert (now["status"], now["step"], now["completed"]["act"]) == ("held", "tidy", {"paid": True})
    assert run.cursor == now["cursor"]


def test_the_last_commit_reaches_the_end_whatever_was_marked() -> None:
    run_id = seed("pure", step="tidy")
    run = held_by(W1, run_id)
    actions.cancel(shown(run_id), ADA)
    commit(run, onward=END, keep=False)
    assert row(run_id)["status"] == "done"


def test_what_a_step_consumed_leaves_the_signals_and_its_id_stays_known() -> None:
    told = [{"id": f"s{n}", "name": "approved", "step": "act", "generation": 0} for n in range(2)]
    run_id = seed("pure", signals={"told": told, "consumed": [f"old{n}" for n in range(100)]})
    commit(held_by(W1, run_id), consumed=["s0"])
    signals = row(run_id)["signals"]
    assert [s["id"] for s in signals["told"]] == ["s1"]
    assert (len(signals["consumed"]), signals["consumed"][-1], "old0" in signals["consumed"]) == (
        100,
        "s0",
        False,
    )


def test_a_large_result_beside_the_row_leaves_the_row_room_for_the_small_one_that_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What stands beside the row counts in it as its pointer, also for the worker that claims the run next."""
    monkeypatch.setattr(settings, "LEASEBOARD_COMPLETED_BYTES", 2000)
    run_id = seed("keyed")
    large = {"text": "x" * settings.LEASEBOARD_RESULT_BYTES}
    commit(held_by(W1, run_id), large)
    lapse(run_id)
    taken = engine.claim(run_id, W2, catalogue.vendors_by_step())
    assert taken is not None and taken.completed["act"] == large
    engine.commit(taken, W2, stored({"small": True}), END)
    assert row(run_id)["completed"]["tidy"] == {"small": True}
