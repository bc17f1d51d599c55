"""Worker processes killed and stopped at named points: nothing recorded is repeated, nothing sent is forgotten.

A killed one's run is finished by another worker. A stopped one's is taken from it; when it goes on it has
lost what was taken, and lands what waits for it.
"""

from __future__ import annotations

import json
import signal

import pytest

from runs import db
from runs.checking import Checked, violations
from tests.crash.fleet import HEARTBEAT, TTL, Fleet, Victim, until, until_status
from tests.support.factories import W1, ask, cases_of, kinds, log_of, row, seed
from tests.support.races import sides

EFFECTS = ("credit", "charge", "book", "activate")
RESUMED = [
    "after_claim",
    "after_commit:charge",
    "before_effect:book",
    "after_effect:book",
    "after_effect:activate",
    "after_effect:credit",
    "after_commit:lines",
]


def killed(fleet: Fleet, point: str) -> Victim:
    victim = fleet.victims[f"KILL {point}"]
    until(victim.reached.exists, f"{victim.name} reached")
    assert victim.process.wait(10) == -9
    return victim


@pytest.mark.parametrize("point", RESUMED)
def test_another_worker_finishes_the_run_and_no_finished_step_is_repeated(fleet: Fleet, point: str) -> None:
    run_id = killed(fleet, point).run_id
    until_status(run_id, "done")
    completed = [entry["completed_step"] for entry in log_of(run_id) if entry["completed_step"]]
    assert completed == ["prepare", "credit", "charge", "book", "activate", "lines", "tidy"]
    assert list(violations(Checked(), run_id)) == []
    for step in ("charge", "book"):
        assert len(fleet.calls(run_id, step)) == 1, step
    for step in (*EFFECTS, "lines"):
        assert len({call["key"] for call in fleet.calls(run_id, step)}) == (3 if step == "lines" else 1), step
    repeated = {step for step in EFFECTS if len(fleet.calls(run_id, step)) > 1}
    assert repeated == (
        {point.split(":")[1]} if point in ("after_effect:activate", "after_effect:credit") else set()
    )
    assert cases_of(run_id) == []


@pytest.mark.parametrize("point", ["after_claim", "after_effect:activate", "after_commit:charge"])
def test_it_is_resumed_within_ttl_a_sweep_and_two_seconds(fleet: Fleet, point: str) -> None:
    run_id = killed(fleet, point).run_id
    until_status(run_id, "done")
    entry = next(found for found in log_of(run_id) if found["kind"] == "taken_over")
    silent_since = entry["lapsed_at"]
    assert (entry["at"] - silent_since).total_seconds() <= 1.0 + 2.0 + HEARTBEAT < TTL


@pytest.mark.parametrize(
    ("point", "sent"), [("before_effect:charge", 0), ("after_effect:charge", 1), ("before_commit:charge", 1)]
)
def test_an_unprotected_call_is_in_doubt_exactly_when_it_may_have_happened(
    fleet: Fleet, point: str, sent: int
) -> None:
    run_id = killed(fleet, point).run_id
    now = until_status(run_id, "in_doubt")
    (case,) = cases_of(run_id)
    assert (case["step"], case["closed_at"], now["epoch"], now["lease_owner"]) == ("charge", None, 1, None)
    assert len(fleet.calls(run_id, "charge")) == sent
    assert "charge" not in now["completed"]
    assert list(violations(Checked(), run_id)) == []


def test_finished_items_of_a_loop_are_not_called_again(fleet: Fleet) -> None:
    run_id = killed(fleet, "after_commit:lines").run_id
    until_status(run_id, "done")
    assert [call["item"] for call in fleet.calls(run_id, "lines")] == ["a", "b", "c"]


def looked(fleet: Fleet, how: str) -> Victim:
    """The sweep process of this kind, at the point where it has looked and not yet written."""
    victim = fleet.victims[f"{how} sweep"]
    fleet.send_sweep(victim.name)
    until(victim.reached.exists, "the sweep's look")
    return victim


def test_a_sweep_that_dies_after_its_look_costs_nothing(fleet: Fleet) -> None:
    run_id = seed("errand", step="charge", guard="unprotected", lease=-1.0)
    with sides(1) as (owner,), owner.holding(run_id):
        # A locked row is due at every look, and no sweep writes to it.
        assert looked(fleet, "KILL").process.wait(20) == -9
    until_status(run_id, "in_doubt")
    assert (kinds(run_id), len(cases_of(run_id))) == (["in_doubt"], 1)


def stopped(fleet: Fleet, point: str) -> Victim:
    """The victim of this point, asleep; awake again if an earlier test of its run woke it."""
    victim = fleet.victims[f"STOP {point}"]
    until(victim.reached.exists, f"{victim.name} reached")
    return victim


def taken_from(victim: Victim) -> None:
    until(lambda: "taken_over" in kinds(victim.run_id), f"a takeover of {victim.name}")


def owner_of(run_id: str) -> str:
    return next(str(entry["owner_after"]) for entry in log_of(run_id) if entry["kind"] == "claimed")


def is_idle(owner: str) -> bool:
    """The woken process beats again and is inside no call."""
    text = """SELECT inside = '[]' AND last_beat_at > clock_timestamp() - interval '3 s' AS idle FROM run_worker
              WHERE owner = %(o)s"""
    return bool(ask(text, o=owner)[0]["idle"])


def test_c14_an_unprotected_call_is_held_and_lands_late_by_itself(fleet: Fleet) -> None:
    victim = stopped(fleet, "after_effect:charge")
    until_status(victim.run_id, "in_doubt", "done")
    victim.wake()
    until_status(victim.run_id, "done")
    assert [case["outcome"] for case in cases_of(victim.run_id)] == ["landed_late"]
    assert len(fleet.calls(victim.run_id, "charge")) == 1
    assert list(violations(Checked(), victim.run_id)) == []


def test_c14_stopped_before_its_send_it_sends_nothing_says_so_and_the_run_goes_on(fleet: Fleet) -> None:
    victim = stopped(fleet, "before_effect:charge")
    until_status(victim.run_id, "in_doubt", "done")
    victim.wake()
    until_status(victim.run_id, "done")
    assert [case["outcome"] for case in cases_of(victim.run_id)] == ["not_sent"], kinds(victim.run_id)
    assert len(fleet.calls(victim.run_id, "charge")) == 1
    assert fleet.calls(victim.run_id, "charge")[0]["owner"] != owner_of(victim.run_id)


def test_c14_any_other_call_is_taken_over_once_and_the_old_owner_commits_and_calls_nothing_more(
    fleet: Fleet,
) -> None:
    victim = stopped(fleet, "after_effect:activate")
    taken_from(victim)
    victim.wake()
    until_status(victim.run_id, "done")
    old = owner_of(victim.run_id)
    until(lambda: "commit_refused" in kinds(victim.run_id), "the late commit is told")
    assert kinds(victim.run_id).count("taken_over") == 1
    steps = [entry["completed_step"] for entry in log_of(victim.run_id) if entry["completed_step"]]
    assert steps == ["prepare", "credit", "charge", "book", "activate", "lines", "tidy"]
    calls = fleet.calls(victim.run_id, "activate")
    assert (len(calls), len({call["key"] for call in calls})) == (2, 1)
    assert not [call for call in fleet.calls(victim.run_id, "lines") if call["owner"] == old]
    assert list(violations(Checked(), victim.run_id)) == []


@pytest.mark.parametrize("point", ["after_claim", "after_commit:charge", "before_commit:prepare"])
def test_no_further_effect_comes_from_an_owner_that_slept(fleet: Fleet, point: str) -> None:
    victim = stopped(fleet, point)
    taken_from(victim)
    before = len(fleet.calls(victim.run_id, "book"))
    victim.wake()
    until_status(victim.run_id, "done")
    old = owner_of(victim.run_id)
    until(lambda: is_idle(old), f"{old} is idle again")
    late = [
        call
        for step in ("credit", "charge", "book", "activate", "lines")
        for call in fleet.calls(victim.run_id, step)
        if call["owner"] == old and call["at"] > _taken_at(victim.run_id)
    ]
    assert (late, before <= 1) == ([], True)
    assert len(fleet.calls(victim.run_id, "charge")) == 1
    assert list(violations(Checked(), victim.run_id)) == []


def _taken_at(run_id: str) -> float:
    return float(next(entry["at"] for entry in log_of(run_id) if entry["kind"] == "taken_over").timestamp())


def test_c17_told_to_end_after_it_lost_the_run_it_leaves_the_new_owners_row_alone(fleet: Fleet) -> None:
    """Every way out of a process uses the same fenced statements, and zero rows end it quietly."""
    victim = fleet.victims["TERM after_effect:activate"]
    until(victim.reached.exists, f"{victim.name} reached")
    taken_from(victim)
    until_status(victim.run_id, "done")
    before = row(victim.run_id)
    victim.wake()
    victim.process.send_signal(signal.SIGTERM)
    victim.process.wait(30)
    assert row(victim.run_id) == before
    assert set(kinds(victim.run_id)[kinds(victim.run_id).index("done") + 1 :]) <= {
        "commit_refused",
        "loss_noticed",
    }
    gone = ask(
        "SELECT stopped_at IS NOT NULL AS gone FROM run_worker WHERE owner = %(o)s", o=owner_of(victim.run_id)
    )
    assert gone == [{"gone": True}]


def test_c15_a_sweep_that_slept_after_its_look_moves_nothing_that_moved_meanwhile(fleet: Fleet) -> None:
    run_id = seed("errand", step="charge", guard="unprotected", lease=-1.0)
    expected = row(run_id)["cursor"]
    done = {**expected, "status": "done"}
    commit = {
        "run_id": run_id,
        "owner": W1.owner,
        "epoch": 7,
        "expected": json.dumps(expected),
        "onward": json.dumps(done),
        "vendor": "",
        "result": '{"charge": {"id": "ch_1"}}',
        "consumed": [],
        "ttl": None,
        "by": db.by("commit_step"),
    }
    with sides(1) as (owner,), owner.holding(run_id):
        victim = looked(fleet, "STOP")
        until(victim.is_stopped, "the sweep is asleep")
        assert owner.run("commit_step", **commit)
    victim.wake()
    until(
        lambda: "Task runs.sweep" in fleet.log(victim) and "succeeded" in fleet.log(victim), "the sweep's end"
    )
    assert (row(run_id)["status"], kinds(run_id), cases_of(run_id)) == ("done", ["done"], [])
