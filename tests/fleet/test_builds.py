"""Two builds at once: a step renamed, one inserted, one removed, while runs stand on each (C31, C32)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.fleet.lanes import scene
from tests.fleet.stage import SLACK, SWEEP, Stage
from tests.fleet.waiting import until
from tests.fleet.worker import Worker

OLDER = {"build": "1", "LEASEBOARD_WORKFLOWS": "tests.fleet.older"}
NEWER = {"build": "2", "LEASEBOARD_WORKFLOWS": "tests.fleet.newer"}
MINUTES_11 = "interval '11 minutes'"


@dataclass
class Builds:
    # The run on the inserted step, after the older build had its message; and after all.
    left_alone: dict[str, Any] = field(default_factory=dict)
    left_log: list[str] = field(default_factory=list)
    taken_by: set[str] = field(default_factory=set)
    renamed_calls: list[dict[str, Any]] = field(default_factory=list)
    renamed: dict[str, Any] = field(default_factory=dict)
    # The run on the removed step: ten minutes after the older build was there, and once it is back.
    early: dict[str, Any] = field(default_factory=dict)
    blocked: dict[str, Any] = field(default_factory=dict)
    log: list[dict[str, Any]] = field(default_factory=list)
    back_at: Any = None
    finished: dict[str, Any] = field(default_factory=dict)


@scene(seconds=30)
def builds(stage: Stage) -> Builds:
    seen = Builds()
    stage.sweeper()
    older = stage.worker("older", **OLDER).ready()
    _left_alone(stage, older, seen)
    stage.put("renamed", "parcel", step="charge", charge={"gate": "charge"})
    stage.send("renamed")
    stage.await_call("renamed", "charge")
    newer = stage.worker("newer", **NEWER).ready()
    stage.send("inserted")
    stage.await_status("done", "inserted")
    seen.taken_by = stage.claimers(["inserted"])
    older.cut()
    stage.open_gate("charge")
    stage.await_status("done", "renamed")
    seen.renamed, seen.renamed_calls = stage.row("renamed"), stage.books(run="renamed", step="charge")
    _blocked(stage, seen)
    back = stage.worker("back", **OLDER).ready()
    seen.back_at = back.told("booted_at")
    until(lambda: stage.status("removed") != "blocked", "the block is lifted")
    stage.send("removed")
    stage.await_status("done", "removed")
    seen.finished, seen.log = stage.row("removed"), stage.log("removed")
    assert newer.alive
    return seen


def _left_alone(stage: Stage, older: Worker, seen: Builds) -> None:
    """The older build gets a message for a step that it does not know."""
    stage.put("inserted", "parcel", step="stamp")
    message = stage.send("inserted")
    until(lambda: older.ended_message(message), "the older build is done with the message")
    seen.left_alone = stage.row("inserted")
    seen.left_log = [row["kind"] for row in stage.log("inserted")]


def _blocked(stage: Stage, seen: Builds) -> None:
    """The removed step: no block while the older build was alive ten minutes ago; then one."""
    stage.put("removed", "parcel", step="label")
    sweeps = len(stage.swept())
    stage.ask(f"UPDATE run_state SET updated_at = updated_at - {MINUTES_11} WHERE run_id = 'removed'")
    until(lambda: len(stage.swept()) >= sweeps + 2, "two sweeps have passed")
    seen.early = stage.row("removed")
    stage.ask(f"UPDATE run_worker SET last_beat_at = last_beat_at - {MINUTES_11} WHERE name = 'older'")
    stage.await_status("blocked", "removed")
    seen.blocked = stage.row("removed")


def test_c32_a_build_leaves_alone_what_it_does_not_know_and_uses_no_attempt(builds: Builds) -> None:
    assert (builds.left_alone["epoch"], builds.left_alone["lease_owner"]) == (0, None)
    assert builds.left_alone["cursor"] == {"step": "stamp", "status": "pending", "attempt": 0, "item": None}
    assert builds.left_log == ["started_run"]


def test_c32_the_build_that_knows_the_step_takes_the_run(builds: Builds) -> None:
    assert builds.taken_by == {"newer"}


def test_c31_a_renamed_step_is_called_again_under_its_first_name_with_the_same_key(builds: Builds) -> None:
    before, after = builds.renamed_calls
    assert before["owner"].startswith("older#") and after["owner"].startswith("newer#")
    assert before["key"] == after["key"]
    assert "charge" in builds.renamed["completed"] and "charge_sender" not in builds.renamed["completed"]


def test_c31_a_removed_step_is_not_blocked_while_a_build_that_knew_it_was_alive_ten_minutes_ago(
    builds: Builds,
) -> None:
    assert builds.early["status"] == "pending" and builds.early["epoch"] == 0


def test_c31_a_step_that_no_live_build_knows_blocks_its_run_with_a_sentence(builds: Builds) -> None:
    said = "No live build knows step 'label' (known: charge, send, stamp, weigh)."
    assert builds.blocked["cursor"]["reason"] == said


def test_c31_the_block_lifts_by_itself_when_a_build_knows_the_step_again(builds: Builds) -> None:
    blocked = next(n for n, row in enumerate(builds.log) if row["kind"] == "blocked")
    lifted = builds.log[blocked + 1]
    assert (lifted["at"] - builds.back_at).total_seconds() < SWEEP + SLACK
    assert set(builds.finished["completed"]) == {"label", "send"}
    assert "reason" not in builds.finished["cursor"]
