"""An emergency hold of a vendor: no call begins later than a heartbeat after it, and lifting is all it takes to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.fleet.lanes import scene
from tests.fleet.stage import HEARTBEAT, SLACK, SWEEP, Stage
from tests.fleet.waiting import until

LEGS = [f"leg{n:02}" for n in range(40)]
LOOPS = 4


@dataclass
class Held:
    said: str
    placed_at: Any
    lifted_at: Any
    during: list[dict[str, Any]]
    other_vendor_done: str
    inside: dict[str, Any]
    leases: int
    epochs: dict[str, int]
    first_after: float
    repeated: dict[Any, int]
    statuses: set[str]


@scene(seconds=20)
def held(stage: Stage) -> Held:
    """Loops that call Pricebook all the time, one run inside a long call of it, and one of another vendor."""
    stage.sweeper()
    worker = stage.worker("only", threads=8).ready()
    loops = [stage.run(f"loop-{n}", legs=LEGS, quote={"seconds": 0.2}) for n in range(LOOPS)]
    inside = stage.run("inside", legs=["a", "b"], quote={"gate": "inside"})
    other = stage.run("other", reserve={"gate": "other"})
    stage.await_call(inside, "quote", item="a")
    for run in loops:
        stage.await_call(run, "quote", times=2)
    status, said = stage.manage(
        "emergency_hold", "place", "--vendor", "Pricebook", "--reason", "It answers 500."
    )
    assert status == 0, said
    hold = stage.ask("SELECT * FROM run_emergency_hold")[0]
    late = [stage.run(f"late-{n}", legs=["a"]) for n in range(2)]
    stage.open_gate("inside-a"), stage.open_gate("inside-b"), stage.open_gate("other")
    stage.await_status("done", other)
    held = [*loops, inside, *late]
    until(lambda: _free(stage, held), "nobody holds what is stopped")
    # Longer than any process could go on without hearing of it.
    beats = worker.told("last_beat_at")
    until(
        lambda: (worker.told("last_beat_at") - beats).total_seconds() > 2 * HEARTBEAT, "two beats have passed"
    )
    epochs = {run: stage.row(run)["epoch"] for run in held}
    during = [call for call in stage.books(step="quote") if call["at"] > hold["placed_at"].timestamp()]
    row = stage.row(inside)
    status, lifting = stage.manage("emergency_hold", "lift", str(hold["id"]))
    assert status == 0, lifting
    stage.await_status("done", *held, seconds=40)
    lifted = stage.ask("SELECT * FROM run_emergency_hold")[0]["lifted_at"]
    first = min(call["at"] for call in stage.books(step="quote") if call["at"] > lifted.timestamp())
    return Held(
        said, hold["placed_at"], lifted, during, stage.status(other), row, _leases(stage, held), epochs,
        first - lifted.timestamp(), stage.repeated(), {stage.status(run) for run in held},
    )  # fmt: skip


def _leases(stage: Stage, runs: list[str]) -> int:
    return sum(stage.row(run)["lease_owner"] is not None for run in runs)


def _free(stage: Stage, runs: list[str]) -> bool:
    return not _leases(stage, runs) and all(stage.row(run)["step"] in ("pack", "quote") for run in runs)


def test_no_call_of_the_vendor_begins_later_than_one_heartbeat_after_the_hold(held: Held) -> None:
    assert all(call["at"] - held.placed_at.timestamp() < HEARTBEAT + 0.5 for call in held.during)


def test_a_run_in_the_middle_of_the_call_finishes_it(held: Held) -> None:
    assert held.inside["cursor"]["items_done"] == 1
    assert held.inside["status"] == "pending" and held.inside["lease_owner"] is None


def test_other_vendors_go_on(held: Held) -> None:
    assert held.other_vendor_done == "done"


def test_runs_go_on_within_one_sweep_of_the_lifting_and_need_no_second_write(held: Held) -> None:
    assert held.first_after < SWEEP + SLACK
    assert held.statuses == {"done"}


def test_the_hold_costs_no_call_twice(held: Held) -> None:
    assert held.repeated == {}
