"""Two at once on one row: whoever gets its lock first is first, and the other is told so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runs import actions, db, engine
from runs.errors import LeaseLost
from runs.results import stored
from runs.run import Run
from tests.support.factories import (
    BEN,
    W1,
    W2,
    ask,
    cases_of,
    held_by,
    kinds,
    lapse,
    new_worker,
    row,
    seed,
    shown,
    vendors,
)
from tests.support.races import at_once, sides, wait_until_blocked, wait_until_one_is_blocked_by

NEXT = {"step": "tidy", "status": "pending", "attempt": 0, "item": None}


def commit_params(run: Run, **more: Any) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "owner": run.owner,
        "epoch": run.epoch,
        "expected": json.dumps(run.cursor),
        "vendor": "",
        "onward": json.dumps(NEXT),
        "result": '{"act": 1}',
        "consumed": [],
        "ttl": 30.0,
        "by": db.by("commit_step"),
        **more,
    }


def claim_params(run_id: str) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "owner": new_worker().owner,
        "ttl": 30.0,
        "vendors": vendors(),
        "by": db.by("claim"),
    }


def heartbeat_params(run_id: str) -> dict[str, Any]:
    return {"run_ids": [run_id], "epochs": [7], "owner": W1.owner, "ttl": 30.0}


def person(verb: str, run_id: str, **more: Any) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "epoch": 7,
        "expected": json.dumps(row(run_id)["cursor"]),
        "actor": "ada",
        "even_held": True,
        "by": db.by({"take_over": "taken_over"}.get(verb, verb), actor="ada"),
        **more,
    }


def test_of_two_claimers_one_wins_and_the_other_does_not_wait() -> None:
    run_id = seed("pure", status="pending", owner=None)
    with sides() as (first, second):
        with first.conn.transaction():
            assert len(first.run("claim", **claim_params(run_id))) == 1
            assert second.run("claim", **claim_params(run_id)) == []
        assert second.run("claim", **claim_params(run_id)) == []
    assert (row(run_id)["epoch"], kinds(run_id)) == (8, ["claimed"])


def test_of_many_claimers_at_once_exactly_one_wins() -> None:
    for _ in range(10):
        run_id = seed("pure", status="pending", owner=None)
        claims = [
            at_once(lambda run_id=run_id: engine.claim(run_id, new_worker(), vendors())) for _ in range(4)
        ]
        assert sum(claim.result(10) is not None for claim in claims) == 1
        assert kinds(run_id) == ["claimed"]


def test_a_zombie_that_commits_while_it_is_taken_over_waits_and_is_lost() -> None:
    run_id = seed("keyed", lease=-1.0)
    run = held_by(W1, run_id)
    with sides(1) as (other,):
        with other.conn.transaction():
            assert other.run("claim", **claim_params(run_id))
            commit = at_once(lambda: engine.commit(run, W1, stored(1), NEXT))
            wait_until_one_is_blocked_by(other.pid)
        with pytest.raises(LeaseLost):
            commit.result(10)
    assert (row(run_id)["completed"], kinds(run_id)) == ({"credit_check": {"score": 712}}, ["taken_over"])


def test_a_claim_that_comes_while_the_owner_commits_leaves_the_row_to_it() -> None:
    run_id = seed("keyed", lease=-1.0)
    with sides() as (owner, other):
        with owner.conn.transaction():
            assert owner.run("commit_step", **commit_params(held_by(W1, run_id)))
            assert other.run("claim", **claim_params(run_id)) == []
        assert other.run("claim", **claim_params(run_id)) == []
    assert row(run_id)["lease_owner"] == W1.owner


def test_a_heartbeat_that_comes_during_a_sweeps_write_skips_the_row_and_the_owner_learns_that_it_stands() -> (
    None
):
    run_id = seed("unprotected", lease=-1.0)
    hold = {"run_id": run_id, "epoch": 7, "reason": "Its worker stopped.", "by": db.by("hold_lapsed")}
    with sides() as (sweep, beat):
        with sweep.conn.transaction():
            assert sweep.run("hold_lapsed", **hold)
            assert beat.run("heartbeat", **heartbeat_params(run_id)) == []
        assert beat.run("heartbeat", **heartbeat_params(run_id)) == []
    assert row(run_id)["status"] == "in_doubt"


def test_a_sweep_that_looked_before_a_late_heartbeat_holds_nothing() -> None:
    run_id = seed("unprotected", lease=-1.0)
    with sides() as (beat, sweep):
        with beat.conn.transaction():
            assert beat.run("heartbeat", **heartbeat_params(run_id))
            assert sweep.run("hold_lapsed", run_id=run_id, epoch=7, reason="", by="") == []
        assert sweep.run("hold_lapsed", run_id=run_id, epoch=7, reason="", by="") == []
    assert (row(run_id)["status"], cases_of(run_id)) == ("started", [])


def test_c15_a_sweep_that_looked_before_the_last_commit_moves_nothing() -> None:
    """The sweep saw a lapsed call; while it was away the owner finished, or another worker claimed."""
    done = seed("unprotected", lease=-1.0)
    run = held_by(W1, done)
    engine.commit(
        run, W1, stored(1), {"step": "act", "status": "done", "attempt": 1, "item": None}, keep=False
    )
    before = row(done)
    assert engine.hold_lapsed(done, 7) is None
    assert (row(done), kinds(done)) == (before, ["done"])
    claimed = seed("keyed", lease=-1.0)
    assert engine.claim(claimed, W2, vendors()) is not None
    assert engine.hold_lapsed(claimed, 7) is None
    assert kinds(claimed) == ["taken_over"]


@pytest.mark.parametrize("verb", ["take_over", "cancel", "hold", "flag"])
def test_a_person_who_waits_for_the_owners_commit_acts_on_what_stands_then_or_not_at_all(verb: str) -> None:
    run_id = seed("pure")
    params = person(verb, run_id, reason="why")
    with sides() as (owner, ada):
        with owner.conn.transaction():
            owner.run("commit_step", **commit_params(held_by(W1, run_id)))
            asked = ada.send(verb, **params)
            wait_until_blocked(ada.pid)
        found = asked.result(10)
    now = row(run_id)
    if verb in ("hold", "cancel"):
        assert (len(found), verb in now["signals"]["marks"], now["epoch"]) == (1, True, 7)
    else:
        assert (found, now["epoch"], now["lease_owner"]) == ([], 7, W1.owner)
        assert cases_of(run_id) == []


def test_a_commit_that_waits_for_a_persons_take_over_is_lost() -> None:
    run_id = seed("pure")
    run = held_by(W1, run_id)
    with sides(1) as (ada,):
        with ada.conn.transaction():
            assert ada.run("take_over", **person("take_over", run_id))
            commit = at_once(lambda: engine.commit(run, W1, stored(1), NEXT))
            wait_until_one_is_blocked_by(ada.pid)
        with pytest.raises(LeaseLost):
            commit.result(10)
    assert kinds(run_id) == ["taken_over"]


@pytest.mark.parametrize("verb", ["take_over", "rewind", "retry_failed", "lift"])
def test_of_two_people_one_acts_and_the_other_is_told_where_the_run_stands(verb: str) -> None:
    status = {"take_over": "pending", "rewind": "failed", "retry_failed": "failed", "lift": "held"}[verb]
    run_id = seed("pure", status=status, owner=None)
    seen = shown(run_id)
    more: dict[str, Any] = {"onward": json.dumps(NEXT), "dropped": ["tidy"]} if verb == "rewind" else {}
    with sides() as (ada, ben):
        with ada.conn.transaction():
            assert ada.run(verb, **person(verb, run_id, **more))
            second = ben.send(verb, **person(verb, run_id, **more))
            wait_until_blocked(ben.pid)
        assert second.result(10) == []
    assert (row(run_id)["epoch"], len(kinds(run_id))) == (8, 1)
    if verb == "take_over":
        with pytest.raises(actions.NotDone, match="epoch 8"):
            actions.take_over(seen, BEN)


@pytest.mark.parametrize("first", ["signal", "wait"])
def test_a_signal_and_a_park_exclude_each_other_so_neither_misses_the_other(first: str) -> None:
    run_id = seed("asking", guard="pure")
    run = held_by(W1, run_id)
    told = {"id": "s1", "name": "approved", "payload": True, "actor": "ada"}
    signal = {
        "run_id": run_id,
        "step": "act",
        "generation": 0,
        "signal": json.dumps(told),
        "size_cap": 65536,
        "by": db.by("signalled"),
    }
    onward = {**run.cursor, "status": "waiting", "signal": "approved"}
    wait = {
        "run_id": run_id,
        "owner": W1.owner,
        "epoch": 7,
        "expected": json.dumps(run.cursor),
        "onward": json.dumps(onward),
        "wait_seconds": None,
        "wanted": "approved",
        "by": db.by("wait"),
    }
    order = {"signal": signal, "wait": wait}
    second = "wait" if first == "signal" else "signal"
    with sides() as (one, two):
        with one.conn.transaction():
            assert one.run(first, **order[first])
            later = two.send(second, **order[second])
            wait_until_blocked(two.pid)
        assert later.result(10)
    due = ask(
        "SELECT status, wake_at <= clock_timestamp() AS due FROM run_state WHERE run_id = %(r)s", r=run_id
    )
    assert due == [{"status": "waiting", "due": True}]


def test_a_late_result_that_waits_for_the_sweep_lands_on_the_case_it_opened() -> None:
    run_id = seed("unprotected", lease=-1.0)
    owner = held_by(W1, run_id)
    with sides(1) as (sweep,):
        with sweep.conn.transaction():
            assert sweep.run(
                "hold_lapsed", run_id=run_id, epoch=7, reason="Its worker stopped.", by=db.by("hold_lapsed")
            )
            commit = at_once(lambda: engine.commit(owner, W1, stored({"paid": 1}), NEXT))
            wait_until_one_is_blocked_by(sweep.pid)
        with pytest.raises(LeaseLost):
            commit.result(10)
    assert engine.land_late(owner, W1, stored({"paid": 1}), NEXT)
    assert (row(run_id)["completed"]["act"], kinds(run_id)) == ({"paid": 1}, ["in_doubt", "landed_late"])


def test_of_a_late_result_and_a_persons_move_the_row_decides_who_was_first() -> None:
    run_id = seed("unprotected", lease=-1.0)
    owner = held_by(W1, run_id)
    engine.hold_lapsed(run_id, 7)
    with sides(1) as (ada,):
        with ada.conn.transaction():
            # What a decision of hers does to the row, once it takes effect.
            ada.conn.execute(
                'UPDATE run_state SET epoch = epoch + 1, cursor = cursor || \'{"status": "pending"}\' WHERE run_id = %s',
                [run_id],
            )
            late = at_once(lambda: engine.land_late(owner, W1, stored(1), NEXT))
            wait_until_one_is_blocked_by(ada.pid)
        assert late.result(10) is False
    assert (row(run_id)["epoch"], "act" in row(run_id)["completed"]) == (8, False)


def test_a_row_locked_by_a_stranger_stops_no_heartbeat_of_the_others() -> None:
    locked, free = seed("pure", lease=5.0), seed("pure", lease=5.0)
    with sides() as (stranger, beat), stranger.holding(locked):
        found = beat.run("heartbeat", run_ids=[locked, free], epochs=[7, 7], owner=W1.owner, ttl=30.0)
        assert {renewed["run_id"] for renewed in found} == {free}
    lapse(free)


def test_a_cancel_is_not_lost_against_a_claim_that_came_first() -> None:
    run_id = seed("pure", status="pending", owner=None)
    params = person("cancel", run_id, reason="why")
    with sides() as (worker, ada):
        with worker.conn.transaction():
            assert worker.run("claim", **claim_params(run_id))
            asked = ada.send("cancel", **params)
            wait_until_blocked(ada.pid)
        assert len(asked.result(10)) == 1
    now = row(run_id)
    assert ("cancel" in now["signals"]["marks"], now["epoch"], now["leased"]) == (True, 8, True)
