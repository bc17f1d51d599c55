"""A rolling deploy: SIGTERM lets every run go on elsewhere, and nothing is done twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.fleet.lanes import scene
from tests.fleet.stage import HEARTBEAT, SLACK, TTL, Stage
from tests.fleet.waiting import until
from tests.fleet.worker import Worker

# Where each run stands when the SIGTERM comes: at a step's end, in a loop, in a long call, in its last step.
AT_STEP, IN_LOOP, IN_CALL, AT_END = "at_step", "in_loop", "in_call", "at_end"
LATER = "later"


@dataclass
class Deploy:
    """What was seen of the process that got the SIGTERM."""

    owner: str = ""
    exit_status: int = -1
    row: dict[str, Any] = field(default_factory=dict)
    # Taken after more than a TTL inside the long call.
    beats: list[float] = field(default_factory=list)
    lease_left: float = 0.0
    acknowledged_inside: bool = False
    drains: list[dict[str, Any]] = field(default_factory=list)
    logs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    repeated: dict[Any, int] = field(default_factory=dict)
    twice: list[dict[str, Any]] = field(default_factory=list)
    receipt: tuple[int, str] = (-1, "")


@scene(seconds=25)
def deploy(stage: Stage) -> Deploy:
    """Four runs in the old process, a new process beside it, then SIGTERM; the calls end one after another."""
    seen = Deploy()
    stage.sweeper()
    old = stage.worker("old", build="9.1").ready()
    seen.owner = old.owner
    _four_runs(stage)
    again = stage.send(IN_CALL)
    until(lambda: old.ended_message(again), "the second message has ended")
    seen.twice = stage.log(IN_CALL)
    new = stage.worker("new", build="9.2").ready()
    old.terminate()
    _outlast_a_lease(stage, old, seen)
    stage.run(LATER)
    for gate in ("step", "loop-b", "end"):
        stage.open_gate(gate)
    stage.await_status("done", AT_STEP, IN_LOOP, AT_END, LATER)
    assert old.alive, "It still has a call under way."
    stage.open_gate("call")
    seen.exit_status = old.ended()
    stage.await_status("done", IN_CALL)
    _look(stage, old, seen)
    assert new.alive
    return seen


def _four_runs(stage: Stage) -> None:
    stage.run(AT_STEP, pack={"gate": "step"})
    stage.run(IN_LOOP, legs=["a", "b", "c"], quote={"gate": "loop"})
    stage.open_gate("loop-a")
    stage.open_gate("loop-c")
    stage.run(IN_CALL, reserve={"gate": "call"})
    stage.run(AT_END, close={"gate": "end"})
    for run, step in ((AT_STEP, "pack"), (IN_CALL, "reserve"), (AT_END, "close")):
        stage.await_call(run, step)
    stage.await_call(IN_LOOP, "quote", item="b")


def _outlast_a_lease(stage: Stage, old: Worker, seen: Deploy) -> None:
    """Every run stays inside its call for longer than a lease lasts without renewal."""
    until(lambda: old.told("acknowledged_at"), "the drain is acknowledged")
    seen.acknowledged_inside = bool(old.told("inside"))
    told = old.row()
    assert told is not None
    came = told["sigterm_at"]
    until(lambda: (_row(old)["now"] - came).total_seconds() > TTL + 1, "a TTL has passed")
    seen.beats = _row(old)["beats"][-3:]
    found = stage.ask(
        "SELECT min(extract(epoch FROM lease_expires_at - clock_timestamp()))::float8 AS left FROM run_state "
        "WHERE lease_owner = %(owner)s",
        owner=seen.owner,
    )
    seen.lease_left = found[0]["left"]


def _row(worker: Worker) -> dict[str, Any]:
    row = worker.row()
    assert row is not None
    return row


def _look(stage: Stage, old: Worker, seen: Deploy) -> None:
    seen.row = _row(old)
    seen.drains = stage.ask(
        "SELECT d.*, b.owner, b.acknowledged_at FROM run_drain d JOIN run_drain_bound b ON b.drain_id = d.id"
    )
    seen.logs = {run: stage.log(run) for run in (AT_STEP, IN_LOOP, IN_CALL, AT_END, LATER)}
    seen.rows = {run: stage.row(run) for run in seen.logs}
    seen.repeated = stage.repeated()
    seen.receipt = stage.manage("drain", "receipt", str(seen.drains[0]["id"]))


def handed_over(log: list[dict[str, Any]], owner: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The row that took the lease off this owner, and the next claim."""
    at = next(n for n, row in enumerate(log) if row["owner_before"] == owner and row["owner_after"] is None)
    return log[at], next(row for row in log[at + 1 :] if row["lease_event"] in ("claimed", "taken_over"))


def test_a_second_message_for_a_run_already_driven_ends_at_once_and_changes_nothing(deploy: Deploy) -> None:
    assert [row["kind"] for row in deploy.twice].count("claimed") == 1
    assert {row["epoch"] for row in deploy.twice} == {0, 1}


def test_a_run_is_given_back_in_the_statement_that_commits_its_step(deploy: Deploy) -> None:
    for run, step in ((AT_STEP, "pack"), (IN_CALL, "reserve")):
        left, _ = handed_over(deploy.logs[run], deploy.owner)
        assert (left["completed_step"], left["lease_event"]) == (step, "released")
        assert left["cursor_after"]["status"] == "pending"


def test_a_loop_is_given_back_between_two_items(deploy: Deploy) -> None:
    left, taken = handed_over(deploy.logs[IN_LOOP], deploy.owner)
    assert (left["lease_event"], left["completed_step"]) == ("released", None)
    assert left["cursor_after"] | {"items_done": 2} == left["cursor_after"]
    assert taken["cursor_after"]["step"] == "quote"
    assert deploy.rows[IN_LOOP]["completed"]["quote"] == {"legs": ["a", "b", "c"]}


@pytest.mark.parametrize("run", [AT_STEP, IN_LOOP, IN_CALL])
def test_what_was_given_back_is_claimed_by_the_other_worker_within_two_seconds(
    deploy: Deploy, run: str
) -> None:
    left, taken = handed_over(deploy.logs[run], deploy.owner)
    assert taken["owner_after"].startswith("new#")
    assert (taken["at"] - left["at"]).total_seconds() < 2


def test_a_run_that_reaches_its_end_while_its_process_drains_just_ends(deploy: Deploy) -> None:
    assert {row["owner_after"] for row in deploy.logs[AT_END]} == {None, deploy.owner}


def test_a_draining_process_takes_no_message_that_another_could(deploy: Deploy) -> None:
    claims = [row for row in deploy.logs[LATER] if row["lease_event"] == "claimed"]
    assert [row["owner_after"].partition("#")[0] for row in claims] == ["new"]


def test_the_heartbeat_goes_on_while_a_call_of_the_draining_process_ends(deploy: Deploy) -> None:
    assert deploy.lease_left > 0
    assert max(deploy.beats) < HEARTBEAT + SLACK
    assert all(row["kind"] != "taken_over" for log in deploy.logs.values() for row in log)


def test_the_drain_is_acknowledged_while_calls_are_still_under_way(deploy: Deploy) -> None:
    assert deploy.acknowledged_inside
    assert [drain["owner"] for drain in deploy.drains if drain["acknowledged_at"]] == [deploy.owner]


def test_the_drain_names_its_build_and_ends_by_itself_with_the_process(deploy: Deploy) -> None:
    (drain,) = deploy.drains
    assert (drain["actor"], drain["build"], drain["ended_by"]) == ("SIGTERM", "9.1", "last worker left")
    assert deploy.row["stopped_at"] is not None and drain["ended_at"] >= deploy.row["sigterm_at"]
    assert deploy.exit_status == 0


def test_a_graceful_deploy_repeats_no_call(deploy: Deploy) -> None:
    assert deploy.repeated == {}


def test_its_receipt_tells_what_became_of_each_run(deploy: Deploy) -> None:
    status, said = deploy.receipt
    assert status == 0 and "1 worker process bound at" in said
    assert "1 runs finished, 3 handed over, 0 cut, 0 still held" in said
