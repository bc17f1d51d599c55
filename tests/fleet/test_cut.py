"""What a deploy's SIGKILL cuts is retaken, or held in doubt where nothing can settle it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.fleet.lanes import scene
from tests.fleet.stage import SLACK, SWEEP, TTL, Stage
from tests.fleet.waiting import until


@dataclass
class Cut:
    """What became of runs whose process was killed after its grace."""

    killed_at: float
    logs: dict[str, list[dict[str, Any]]]
    rows: dict[str, dict[str, Any]]
    calls: Callable[..., list[dict[str, Any]]]
    repeated: dict[Any, int]
    cases: list[dict[str, Any]]
    receipt: tuple[int, str]


@scene(seconds=22)
def cut(stage: Stage) -> Cut:
    """Calls that do not end within the grace: one of each guard, and a loop with one leg finished."""
    stage.sweeper()
    old = stage.worker("old", build="9.1").ready()
    stage.run("pure", pack={"gate": "never"})
    stage.run("loop", legs=["a", "b"], quote={"gate": "leg"})
    stage.open_gate("leg-a")
    stage.run("keyed", reserve={"gate": "never"})
    stage.run("unprotected", charge={"gate": "never"})
    for run, step in (("pure", "pack"), ("keyed", "reserve"), ("unprotected", "charge")):
        stage.await_call(run, step)
    stage.await_call("loop", "quote", item="b")
    new = stage.worker("new", build="9.2").ready()
    old.cut()
    killed_at = stage.now()
    stage.await_status("in_doubt", "unprotected")
    for gate in ("never", "leg-b"):
        stage.open_gate(gate)
    stage.await_status("done", "pure", "loop", "keyed")
    until(lambda: old.told("gone_at"), "the dead process is gone by rule")
    until(lambda: not stage.ask("SELECT 1 FROM run_drain WHERE ended_at IS NULL"), "its drain ends by itself")
    runs = ("pure", "loop", "keyed", "unprotected")
    assert new.alive
    books = stage.books()
    return Cut(
        killed_at,
        {run: stage.log(run) for run in runs},
        {run: stage.row(run) for run in runs},
        lambda run, step: [call for call in books if (call["run"], call["step"]) == (run, step)],
        stage.repeated(),
        stage.ask("SELECT * FROM run_doubt"),
        stage.manage("drain", "receipt", str(stage.ask("SELECT id FROM run_drain")[0]["id"])),
    )


def test_what_a_killed_process_held_is_retaken_within_ttl_and_a_sweep(cut: Cut) -> None:
    for run in ("pure", "loop", "keyed"):
        taken = next(row for row in cut.logs[run] if row["kind"] == "taken_over")
        assert (taken["at"] - taken["lapsed_at"]).total_seconds() < SWEEP + SLACK
        assert taken["at"].timestamp() - cut.killed_at < TTL + SWEEP + SLACK


def test_the_unprotected_call_of_a_killed_process_is_in_doubt_and_called_no_more(cut: Cut) -> None:
    held = next(row for row in cut.logs["unprotected"] if row["kind"] == "in_doubt")
    assert held["at"].timestamp() - cut.killed_at < TTL + SWEEP + SLACK
    assert len(cut.calls("unprotected", "charge")) == 1
    assert [(case["run_id"], case["step"], case["closed_at"]) for case in cut.cases] == [
        ("unprotected", "charge", None)
    ]


def test_only_the_call_that_was_cut_is_made_again_and_with_its_key(cut: Cut) -> None:
    assert cut.repeated == {
        ("pure", "pack", None): 2,
        ("loop", "quote", "b"): 2,
        ("keyed", "reserve", None): 2,
    }
    first, second = cut.calls("keyed", "reserve")
    assert first["key"] == second["key"] and first["epoch"] < second["epoch"]


def test_a_deploy_cut_is_no_death(cut: Cut) -> None:
    assert all(row["lapses"] == [] for row in cut.rows.values())


def test_the_receipt_is_folded_from_the_log_though_the_worker_left_none(cut: Cut) -> None:
    status, said = cut.receipt
    assert status == 0
    assert "0 runs finished, 0 handed over, 4 cut, 0 still held\n1 went in doubt" in said
    assert "cut runs were taken up" in said
