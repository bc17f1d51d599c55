"""commit_step(conn, run_id, worker, epoch, step, result, next_cursor): for a worker with a connection of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from runs import actions, db
from runs.engine import commit_step
from runs.errors import LeaseLost, Stopped
from tests.support.factories import ADA, W1, kinds, lapse, new_id, overtake, row, seed, shown, unchanged

NEXT = {"step": "ship", "status": "pending", "attempt": 0, "item": None}


@pytest.fixture
def conn() -> Iterator[psycopg.Connection[Any]]:
    with db.connect() as own:
        yield own


def foreign(**state: Any) -> str:
    return seed("", step="charge", guard=None, **state)


def test_it_records_the_result_and_returns_the_cursor_that_stands(conn: psycopg.Connection[Any]) -> None:
    run_id = foreign(lease=5)
    assert commit_step(conn, run_id, W1.owner, 7, "charge", {"id": "ch_1"}, NEXT) == NEXT
    now = row(run_id)
    assert (now["completed"]["charge"], now["cursor"], now["lease_owner"]) == ({"id": "ch_1"}, NEXT, W1.owner)
    assert kinds(run_id) == ["step_completed"]


def test_it_commits_inside_the_transaction_of_a_connection_that_does_not_autocommit() -> None:
    run_id = foreign()
    with db.connect() as own:
        own.autocommit = False
        commit_step(own, run_id, W1.owner, 7, "charge", 1, NEXT)
        own.rollback()
    assert row(run_id)["step"] == "ship"


@pytest.mark.parametrize("wrong", [{"worker": "other"}, {"epoch": 6}, {"epoch": 8}, {"step": "quote"}])
def test_another_owner_epoch_or_step_is_lost(conn: psycopg.Connection[Any], wrong: dict[str, Any]) -> None:
    run_id = foreign()
    before = row(run_id)
    given = {"worker": W1.owner, "epoch": 7, "step": "charge", **wrong}
    with pytest.raises(LeaseLost):
        commit_step(conn, run_id, **given, result=1, next_cursor=NEXT)
    assert unchanged(run_id, before)


def test_a_run_taken_over_is_lost_and_a_lapsed_one_is_not(conn: psycopg.Connection[Any]) -> None:
    lapsed, taken = foreign(), foreign()
    lapse(lapsed)
    overtake(taken)
    commit_step(conn, lapsed, W1.owner, 7, "charge", 1, NEXT)
    with pytest.raises(LeaseLost):
        commit_step(conn, taken, W1.owner, 7, "charge", 1, NEXT)


def test_the_same_commit_twice_lands_once(conn: psycopg.Connection[Any]) -> None:
    run_id = foreign()
    commit_step(conn, run_id, W1.owner, 7, "charge", 1, NEXT)
    with pytest.raises(LeaseLost):
        commit_step(conn, run_id, W1.owner, 7, "charge", 1, NEXT)
    assert kinds(run_id) == ["step_completed"]


def test_a_mark_stops_it_with_the_result_recorded(conn: psycopg.Connection[Any]) -> None:
    run_id = foreign()
    actions.hold(shown(run_id), ADA)
    with pytest.raises(Stopped) as stopped:
        commit_step(conn, run_id, W1.owner, 7, "charge", {"id": "ch_1"}, NEXT)
    now = row(run_id)
    assert (now["status"], now["completed"]["charge"], stopped.value.cursor) == (
        "held",
        {"id": "ch_1"},
        now["cursor"],
    )


@pytest.mark.parametrize("status", ["done", "held", "waiting", "paused_by_v3"])
def test_a_run_that_is_not_under_way_takes_no_commit(conn: psycopg.Connection[Any], status: str) -> None:
    run_id = foreign(status=status, owner=W1.owner if status == "paused_by_v3" else None)
    with pytest.raises(LeaseLost):
        commit_step(conn, run_id, W1.owner, 7, "charge", 1, NEXT)


def test_an_absent_run_is_lost(conn: psycopg.Connection[Any]) -> None:
    with pytest.raises(LeaseLost):
        commit_step(conn, new_id(), W1.owner, 7, "charge", 1, NEXT)
