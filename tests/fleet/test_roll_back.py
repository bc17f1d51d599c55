"""Rolling back to a build that was drained an hour ago."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.fleet.lanes import scene
from tests.fleet.stage import HEARTBEAT, Stage
from tests.fleet.waiting import until

THREADS = 4
WAITING = 150
# Each of those runs takes 0.1 s of one of four threads. A worker that looked at its queue only once a second
# would take four a second.
PACE_SECONDS = 15


@dataclass
class RolledBack:
    """What was seen when a build came back an hour after it was drained."""

    queued_before: int
    first_claim_after: float
    all_done_after: float
    queued_most: int
    sent: int
    finished: int
    waiting_said: bool
    drains: list[dict[str, Any]]


@scene(seconds=20)
def rolled_back(stage: Stage) -> RolledBack:
    """Its last process was killed an hour ago, runs have waited since without a message, the drain was left open."""
    gone = stage.worker("gone", build="9.3").ready()
    stage.act("mark_drain", build="9.3", node="", owners=[], actor="ana", reason="It misprices.")
    gone.kill()
    runs = [stage.put(f"waiting-{n:03}", "hike", walk={"seconds": 0.05}) for n in range(WAITING)]
    _an_hour_passes(stage)
    sweeper = stage.sweeper()
    until(lambda: len(stage.swept()) >= 2, "two sweeps have passed")
    queued, said = stage.broker.queued(), all(sweep.get("waiting") for sweep in stage.swept())
    back = stage.worker("back", build="9.3", threads=THREADS).ready()
    depths: list[int] = []
    until(lambda: _all_done(stage, depths), "all that waited are done", 40)
    assert back.alive and sweeper.alive
    row = back.row()
    assert row is not None
    claimed = (stage.first_claim(runs) - row["booted_at"]).total_seconds()
    took = (_last_end(stage) - row["booted_at"]).total_seconds()
    sent = sum(sweep.get("dispatched", 0) for sweep in stage.swept())
    done = stage.ask("SELECT count(*) AS n FROM run_state WHERE status = 'done'")[0]["n"]
    return RolledBack(
        queued, claimed, took, max(depths), sent, done, said, stage.ask("SELECT * FROM run_drain")
    )


def _last_end(stage: Stage) -> Any:
    return stage.ask("SELECT max(updated_at) AS at FROM run_state")[0]["at"]


def _all_done(stage: Stage, depths: list[int]) -> bool:
    """Looks at the queue on the way."""
    depths.append(stage.broker.queued())
    return not stage.ask("SELECT 1 FROM run_state WHERE status <> 'done' LIMIT 1")


def _an_hour_passes(stage: Stage) -> None:
    """The rows' times move, never the clock."""
    for column in ("booted_at", "last_beat_at"):
        stage.ask(f"UPDATE run_worker SET {column} = {column} - interval '1 hour'")
    stage.ask("UPDATE run_drain SET marked_at = marked_at - interval '1 hour'")
    stage.ask(
        "UPDATE run_state SET updated_at = updated_at - interval '1 hour', created_at = created_at - interval '1 hour'"
    )
    stage.ask("UPDATE run_pulse SET at = at - interval '1 hour'")


def test_no_message_is_sent_while_no_live_worker_may_claim(rolled_back: RolledBack) -> None:
    assert rolled_back.waiting_said and rolled_back.queued_before == 0


def test_a_build_that_was_drained_an_hour_ago_claims_within_one_heartbeat_of_its_return(
    rolled_back: RolledBack,
) -> None:
    assert rolled_back.first_claim_after < HEARTBEAT + 1


def test_each_run_that_waited_is_offered_once_and_the_queue_is_not_flooded(rolled_back: RolledBack) -> None:
    assert rolled_back.finished == WAITING
    assert rolled_back.sent == WAITING
    assert rolled_back.queued_most <= WAITING


def test_a_thread_that_gets_free_takes_the_next_message_at_once(rolled_back: RolledBack) -> None:
    assert rolled_back.all_done_after < PACE_SECONDS


def test_the_drain_of_an_hour_ago_has_ended_with_its_last_process(rolled_back: RolledBack) -> None:
    assert [drain["ended_by"] for drain in rolled_back.drains] == ["no bound worker lives"]
