"""A step that kills its process, beside healthy runs; workers come back as an orchestrator would bring them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.fleet.lanes import scene
from tests.fleet.stage import Stage
from tests.fleet.waiting import until
from tests.fleet.worker import Worker

KILLED = 137
HEALTHY = 20
# Long enough that each poison goes off while the healthy ones are inside their step.
SLOW_SECONDS = 2.5
FUSE_SECONDS = 1.0


class Crew:
    """Two workers, each replaced when it has died. An orchestrator does the same; beat keeps the sweep going."""

    def __init__(self, stage: Stage, threads: int) -> None:
        self._stage, self._threads = stage, threads
        self._numbers = {"left": 0, "right": 0}
        self._workers: dict[str, Worker] = {}
        self.deaths: list[str] = []

    def keep(self) -> None:
        for side, number in self._numbers.items():
            worker = self._workers.get(side)
            if worker is not None and worker.alive:
                continue
            if worker is not None:
                assert worker.popen.returncode == KILLED, worker.tail()
                self.deaths.append(worker.name)
            self._numbers[side] = number + 1
            self._workers[side] = self._stage.worker(f"{side}{number + 1}", threads=self._threads)

    def ready(self) -> None:
        for worker in self._workers.values():
            worker.ready()


@dataclass
class Poisoned:
    deaths: list[str]
    rows: dict[str, dict[str, Any]]
    calls: dict[str, list[dict[str, Any]]]
    healthy: list[dict[str, Any]]
    cases: list[dict[str, Any]]


@scene(seconds=60)
def poisoned(stage: Stage) -> Poisoned:
    stage.sweeper()
    crew = Crew(stage, HEALTHY + 4)
    crew.keep()
    crew.ready()
    healthy = [stage.run(f"healthy-{n:02}", "hike", walk={"seconds": SLOW_SECONDS}) for n in range(HEALTHY)]
    poison = stage.run("poison", "hike", walk={"seconds": FUSE_SECONDS, "exit": KILLED})

    def blocked() -> bool:
        crew.keep()
        return stage.status(poison) == "blocked"

    until(blocked, "the poison is blocked", 60)
    # Healthy runs that lost two workers go through one a process, a sweep apart and not a minute; but a message
    # that a process took with it when it died is sent again after a minute only.
    stage.await_status("done", *healthy, seconds=90, meanwhile=crew.keep)
    paid = stage.run("paid", "trip", charge={"seconds": FUSE_SECONDS, "exit": KILLED})
    stage.await_status("in_doubt", paid, meanwhile=crew.keep)
    calls = {run: stage.books(run=run) for run in (poison, paid)}
    return Poisoned(
        crew.deaths, {run: stage.row(run) for run in (poison, paid)}, calls, [stage.row(run) for run in healthy],
        stage.ask("SELECT * FROM run_doubt"),
    )  # fmt: skip


def test_a_poison_step_is_blocked_after_three_deaths_by_at_least_two_owners(poisoned: Poisoned) -> None:
    calls = poisoned.calls["poison"]
    assert len(calls) == 3 and len({call["owner"] for call in calls}) >= 2
    assert poisoned.rows["poison"]["cursor"]["reason"].startswith("Its worker died here 3 times")


def test_an_unprotected_poison_is_in_doubt_after_its_first_death(poisoned: Poisoned) -> None:
    assert len([call for call in poisoned.calls["paid"] if call["step"] == "charge"]) == 1
    assert [(case["run_id"], case["step"]) for case in poisoned.cases] == [("paid", "charge")]


def test_the_healthy_runs_beside_a_poison_finish_and_none_is_blocked(poisoned: Poisoned) -> None:
    assert [row["status"] for row in poisoned.healthy] == ["done"] * HEALTHY
    assert len(poisoned.deaths) == 4


CUTS = 3


@scene(seconds=45)
def cuts(stage: Stage) -> dict[str, Any]:
    """One long healthy step, and three deploys that cannot wait for it."""
    stage.sweeper()
    worker = stage.worker("build1", build="1").ready()
    run = stage.run("long", "hike", walk={"gate": "end"})
    for n in range(CUTS):
        stage.await_call(run, "walk", times=n + 1)
        worker.cut()
        worker = stage.worker(f"build{n + 2}", build=f"{n + 2}")
    stage.await_call(run, "walk", times=CUTS + 1)
    lapses = stage.row(run)["lapses"]
    stage.open_gate("end")
    stage.await_status("done", run)
    return {
        "lapses": lapses,
        "log": stage.log(run),
        "owners": {call["owner"] for call in stage.books(step="walk")},
    }


def test_three_deploy_cuts_of_a_long_healthy_step_are_no_deaths(cuts: dict[str, Any]) -> None:
    assert cuts["lapses"] == []
    assert len(cuts["owners"]) == CUTS + 1
    assert [row["kind"] for row in cuts["log"]].count("taken_over") == CUTS


def test_deploy_cuts_are_shown_in_the_log(cuts: dict[str, Any]) -> None:
    taken = [row for row in cuts["log"] if row["kind"] == "taken_over"]
    assert all(row["lapsed_at"] is not None and row["owner_before"] != row["owner_after"] for row in taken)
