"""A run waits with nobody holding it; a signal or the sweep wakes it through a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.fleet.lanes import scene
from tests.fleet.stage import SLACK, SWEEP, Stage
from tests.fleet.waiting import until


@dataclass
class Woken:
    waited: dict[str, Any]
    told: str
    told_again: tuple[int, str]
    visa: list[dict[str, Any]]
    answer: Any
    night: list[dict[str, Any]]
    slept: dict[str, Any]
    due_at: Any
    calls: dict[str, int]


@scene(seconds=12)
def woken(stage: Stage) -> Woken:
    stage.sweeper()
    worker = stage.worker("only").ready()
    stage.run("visa", "visa")
    stage.run("night", "night", **{"for": 4})
    stage.await_status("waiting", "visa", "night")
    waited, slept = stage.row("visa"), stage.row("night")
    status, told = stage.manage(
        "send_signal", "visa", "stamped", "--payload", '{"by": "mara"}', "--actor", "mara"
    )
    assert status == 0, told
    stage.await_status("done", "visa", "night")
    again = stage.manage("send_signal", "visa", "stamped", "--actor", "mara")
    until(lambda: not worker.told("inside"), "nothing is under way")
    calls = {step: len(stage.books(step=step)) for step in ("ask", "file", "sleep", "wake")}
    return Woken(
        waited, told, again, stage.log("visa"), stage.row("visa")["completed"]["ask"], stage.log("night"), slept,
        slept["wake_at"], calls,
    )  # fmt: skip


def test_a_run_that_waits_for_a_signal_is_held_by_nobody(woken: Woken) -> None:
    assert (woken.waited["lease_owner"], woken.waited["wake_at"]) == (None, None)
    assert woken.waited["cursor"]["signal"] == "stamped"


def test_a_signal_wakes_the_run_through_a_worker_and_its_payload_is_the_answer(woken: Woken) -> None:
    assert woken.told.strip() == "Told."
    assert woken.answer == {"answer": {"by": "mara"}}
    told = next(row for row in woken.visa if row["kind"] == "signalled")
    woke = next(row for row in woken.visa if row["kind"] == "woken")
    assert told["actor"] == "mara" and (woke["at"] - told["at"]).total_seconds() < SLACK


def test_a_signal_to_a_finished_run_is_refused_with_a_sentence(woken: Woken) -> None:
    status, said = woken.told_again
    assert status == 1 and "does not wait for 'stamped'; it is done" in said


def test_a_sleeping_run_is_held_by_nobody_and_woken_by_the_sweep(woken: Woken) -> None:
    assert woken.slept["lease_owner"] is None
    woke = next(row for row in woken.night if row["kind"] == "woken")
    assert 0 <= (woke["at"] - woken.due_at).total_seconds() < SWEEP + SLACK


def test_on_waking_the_step_runs_again_from_its_top_and_the_attempt_stays(woken: Woken) -> None:
    assert woken.calls == {"ask": 2, "file": 1, "sleep": 2, "wake": 1}
    assert {row["attempt"] for row in woken.night if row["began_step"] == "sleep"} == {1}
