"""A drain that a person marks, and its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.fleet.lanes import scene
from tests.fleet.stage import HEARTBEAT, SLACK, Stage
from tests.fleet.waiting import until
from tests.fleet.worker import Worker

THREADS = 4


@dataclass
class Marked:
    """What was seen of a build that was drained by name, beside one that was not."""

    said: str = ""
    marked_at: Any = None
    acknowledged: dict[str, Any] = field(default_factory=dict)
    beats_after_mark: float = 0.0
    # Who claimed each run, by the worker's name; the runs are grouped by what was the case when they came.
    during: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)
    held_through: str = ""
    freed_after: float = 0.0
    drain: dict[str, Any] = field(default_factory=dict)
    ended_with: str = ""


@scene(seconds=25)
def marked(stage: Stage) -> Marked:
    """Bound workers: calm, and leaving, which gets its SIGTERM during the drain. Free: full before the end."""
    seen = Marked()
    calm, leaving = (stage.worker(name, build="9.3", threads=THREADS) for name in ("calm", "leaving"))
    calm.ready(), leaving.ready()
    inside = [stage.run(f"inside-{n}", "hike", walk={"gate": "inside"}) for n in range(2 * THREADS)]
    for run in inside:
        stage.await_call(run, "walk")
    free = stage.worker("free", build="9.4", threads=THREADS).ready()
    _mark(stage, seen, calm, leaving)
    during = [stage.run(f"during-{n}", "hike", walk={"gate": "during"}) for n in range(THREADS)]
    for run in during:
        stage.await_call(run, "walk")
    seen.during = stage.claimers(during)
    leaving.terminate()
    until(lambda: leaving.told("sigterm_at"), "the SIGTERM is noted")
    _beats_on(stage, calm, seen)
    after = [stage.put(f"after-{n}", "hike") for n in range(3)]
    _end(stage, seen)
    # Every thread of the free worker is taken, so whoever claims these was freed.
    stage.open_gate("inside")
    for run in after:
        stage.send(run)
    stage.await_status("done", *after)
    seen.after = stage.claimers(after)
    seen.freed_after = (stage.first_claim(after) - seen.drain["ended_at"]).total_seconds()
    stage.open_gate("during")
    stage.await_status("done", *inside, *during)
    assert leaving.ended() == 0 and calm.alive and free.alive
    return seen


def _mark(stage: Stage, seen: Marked, *bound: Worker) -> None:
    status, seen.said = stage.manage("drain", "mark", "--build", "9.3", "--reason", "It misprices.")
    assert status == 0, seen.said
    seen.marked_at = stage.ask("SELECT marked_at FROM run_drain")[0]["marked_at"]
    text = "SELECT owner, acknowledged_at FROM run_drain_bound WHERE acknowledged_at IS NOT NULL"
    until(lambda: len(stage.ask(text)) == len(bound), "both have acknowledged")
    seen.acknowledged = {row["owner"]: row["acknowledged_at"] for row in stage.ask(text)}


def _beats_on(stage: Stage, calm: Worker, seen: Marked) -> None:
    """The bound process goes on beating, and its runs keep their leases."""
    beat = calm.told("last_beat_at")
    until(lambda: calm.told("last_beat_at") > beat, "it beats again", HEARTBEAT + SLACK)
    seen.beats_after_mark = (calm.told("last_beat_at") - seen.marked_at).total_seconds()
    seen.held_through = str(stage.row("inside-0")["lease_owner"])


def _end(stage: Stage, seen: Marked) -> None:
    drain_id = stage.ask("SELECT id FROM run_drain WHERE actor <> 'SIGTERM'")[0]["id"]
    status, seen.ended_with = stage.manage("drain", "end", str(drain_id), "--actor", "ana")
    assert status == 0, seen.ended_with
    seen.drain = stage.ask("SELECT * FROM run_drain WHERE id = %(id)s", id=drain_id)[0]


def test_the_command_says_how_many_processes_it_bound(marked: Marked) -> None:
    assert "binds 2 worker processes" in marked.said


def test_bound_workers_stop_claiming_within_one_heartbeat(marked: Marked) -> None:
    assert {owner.partition("#")[0] for owner in marked.acknowledged} == {"calm", "leaving"}
    for at in marked.acknowledged.values():
        assert (at - marked.marked_at).total_seconds() < HEARTBEAT + 0.5


def test_a_bound_worker_goes_on_beating_and_keeps_its_leases(marked: Marked) -> None:
    assert marked.beats_after_mark > 0
    assert marked.held_through.partition("#")[0] in ("calm", "leaving")


def test_new_messages_go_to_unbound_workers(marked: Marked) -> None:
    assert marked.during == {"free"}


def test_ending_the_drain_frees_its_workers_within_one_heartbeat(marked: Marked) -> None:
    assert marked.freed_after < HEARTBEAT + SLACK
    assert marked.drain["ended_by"] == "ana"


def test_a_worker_that_got_sigterm_stays_bound_when_the_drain_ends(marked: Marked) -> None:
    assert marked.after == {"calm"}
