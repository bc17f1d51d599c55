"""The broker loses everything, or is not there: every run finishes, each call once."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.fleet.lanes import scene
from tests.fleet.process import Process
from tests.fleet.stage import Stage
from tests.fleet.waiting import until

QUEUED, RUNNING = 100, 20
ANSWER_SECONDS = 2.0


@dataclass
class Flushed:
    queued_before: int
    queued_after: int
    running: list[dict[str, Any]]
    queued: list[dict[str, Any]]
    repeated: dict[Any, int]
    worker_lived: bool


@scene(seconds=25)
def flushed(stage: Stage) -> Flushed:
    stage.sweeper()
    worker = stage.worker("only", threads=RUNNING).ready()
    running = [stage.run(f"running-{n:02}", reserve={"gate": "go"}) for n in range(RUNNING)]
    until(lambda: len(stage.books(step="reserve")) == RUNNING, "twenty runs are in their call")
    queued = [stage.run(f"queued-{n:03}") for n in range(QUEUED)]
    before = stage.broker.queued()
    stage.broker.client.flushall()
    after = stage.broker.queued()
    # Without its message a run is offered again when it has waited for a minute. Each sweep looks at those whose
    # minute ended since the last one, so it must end for all of them from now on.
    stage.ask(
        "UPDATE run_state SET updated_at = clock_timestamp() - interval '58 seconds' WHERE run_id LIKE 'queued-%%'"
    )
    stage.open_gate("go")
    stage.await_status("done", *running, *queued, seconds=40)
    return Flushed(
        before, after, [stage.row(run) for run in running], [stage.row(run) for run in queued], stage.repeated(),
        worker.alive,
    )  # fmt: skip


def test_c35_a_flushed_broker_loses_no_run(flushed: Flushed) -> None:
    assert (flushed.queued_before, flushed.queued_after) == (QUEUED, 0)
    assert {row["status"] for row in (*flushed.queued, *flushed.running)} == {"done"}


def test_c35_runs_under_way_keep_their_leases_and_every_call_is_made_once(flushed: Flushed) -> None:
    assert {row["epoch"] for row in flushed.running} == {1}
    assert flushed.repeated == {}
    assert flushed.worker_lived


@dataclass
class Away:
    # dispatch with the broker down: what it said, and how long it took.
    answers: list[dict[str, Any]] = field(default_factory=list)
    before: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)
    repeated: dict[Any, int] = field(default_factory=dict)
    lived: dict[str, bool] = field(default_factory=dict)
    calls_while_away: int = 0


ASK = """
import json, sys, time, django
django.setup()
from runs.tasks import dispatch
dispatch("warm-up")
began = time.monotonic()
print(json.dumps({"taken": dispatch(sys.argv[1]), "seconds": time.monotonic() - began}))
"""


@scene(seconds=50)
def away(stage: Stage) -> Away:
    """Down when workers, watch worker and beat start; there for a while; stopped in the middle; there again."""
    seen = Away()
    stage.broker.stop()
    worker = stage.worker("only", threads=8)
    watch, beat = _watch(stage), _beat(stage)
    first = [stage.put(f"first-{n}") for n in range(5)]
    until(lambda: worker.row(), "the worker is on the board without a broker", 40)
    _ask(stage, seen, first[0])
    _age(stage)
    stage.broker.start()
    stage.await_status("done", *first, seconds=40)
    seen.before = {stage.status(run) for run in first}
    running = [stage.run(f"running-{n}", reserve={"gate": "go"}) for n in range(4)]
    until(lambda: len(stage.books(step="reserve")) == len(first) + len(running), "four are in their call")
    _middle(stage, seen, running)
    seen.lived = {process.name: process.alive for process in (worker, watch, beat)}
    seen.repeated = stage.repeated()
    return seen


def _middle(stage: Stage, seen: Away, running: list[str]) -> None:
    """Runs in a call end without a broker; those that come meanwhile wait for its return."""
    stage.broker.stop()
    stage.open_gate("go")
    stage.await_status("done", *running, seconds=20)
    seen.calls_while_away = len(stage.books(step="close"))
    later = [stage.put(f"later-{n}") for n in range(5)]
    _ask(stage, seen, later[0])
    _age(stage)
    stage.broker.start()
    stage.await_status("done", *later, seconds=40)
    seen.after = {stage.status(run) for run in (*running, *later)}


def _age(stage: Stage) -> None:
    stage.ask("UPDATE run_state SET updated_at = updated_at - interval '58 seconds' WHERE status = 'pending'")


def _ask(stage: Stage, seen: Away, run_id: str) -> None:
    process = stage.started(f"ask-{run_id}", "-c", ASK, run_id)
    assert process.ended(30) == 0, process.tail()
    seen.answers.append(json.loads(process.said().splitlines()[-1]))


def _watch(stage: Stage) -> Process:
    options = "-P solo -Q watch -n watch@fleet --loglevel INFO --without-gossip --without-mingle"
    return stage.started("watch", "-m", "celery", "--quiet", "-A", "dashboard", "worker", *options.split())


def _beat(stage: Stage) -> Process:
    schedule = str(stage.folder / "schedule")
    options = ["beat", "--loglevel", "INFO", "--pidfile=", "-s", schedule]
    return stage.started("beat", "-m", "celery", "--quiet", "-A", "dashboard", *options)


def test_c34_dispatch_answers_within_two_seconds_that_the_queue_is_down(away: Away) -> None:
    assert [answer["taken"] for answer in away.answers] == [False, False]
    assert all(answer["seconds"] < ANSWER_SECONDS for answer in away.answers)


def test_c34_a_fleet_that_starts_without_a_broker_works_when_it_comes(away: Away) -> None:
    assert away.before == {"done"}


def test_runs_under_way_go_on_to_their_end_while_the_broker_is_away(away: Away) -> None:
    assert away.calls_while_away == 5 + 4


def test_c34_what_came_while_the_broker_was_away_is_done_after_its_return(away: Away) -> None:
    assert away.after == {"done"}
    assert away.lived == {"only": True, "watch": True, "beat": True}


def test_a_broker_that_comes_and_goes_costs_no_call_twice(away: Away) -> None:
    assert away.repeated == {}
