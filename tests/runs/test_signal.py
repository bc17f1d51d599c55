"""signal: what a step waits for is told once, for one step and generation."""

from __future__ import annotations

import pytest

from runs import actions
from runs.actions import NotDone, SignalRefused
from tests.support.factories import ADA, ask, log_of, new_id, row, seed


def tell(
    run_id: str,
    signal_id: str = "s1",
    name: str = "approved",
    payload: object = True,
    step: str = "act",
    generation: int = 0,
) -> bool:
    return actions.signal(run_id, step, generation, name, payload, ADA, signal_id=signal_id)


def test_a_signal_stands_in_the_row_with_who_and_when_and_is_logged_by_name() -> None:
    run_id = seed("asking", status="pending", owner=None)
    assert tell(run_id, payload={"yes": True})
    (told,) = row(run_id)["signals"]["told"]
    assert (told["id"], told["payload"], told["actor"], told["step"]) == ("s1", {"yes": True}, "ada", "act")
    entry = log_of(run_id)[-1]
    assert (entry["kind"], entry["told"], entry["actor"]) == ("signalled", "approved", "ada")


def test_a_run_that_waits_for_it_becomes_due_and_one_that_waits_for_another_does_not() -> None:
    waiting, other = (
        seed("asking", status="waiting", owner=None, signal=name) for name in ("approved", "paid")
    )
    tell(waiting)
    tell(other)
    due = "SELECT wake_at <= clock_timestamp() AS due FROM run_state WHERE run_id = %(r)s"
    assert ask(due, r=waiting) == [{"due": True}]
    assert ask(due, r=other) == [{"due": None}]


def test_the_same_id_twice_is_one_signal() -> None:
    run_id = seed("asking", status="pending", owner=None)
    assert tell(run_id) is True
    assert tell(run_id) is False
    assert len(row(run_id)["signals"]["told"]) == 1


def test_the_same_id_after_consumption_is_still_the_same_signal_also_on_a_finished_run() -> None:
    for status in ("pending", "done"):
        run_id = seed(
            "asking", status=status, owner=None, step="tidy", signals={"told": [], "consumed": ["s1"]}
        )
        assert tell(run_id) is False
        assert row(run_id)["signals"]["told"] == []


@pytest.mark.parametrize(("step", "generation"), [("tidy", 0), ("act", 1)])
def test_an_answer_to_another_step_or_generation_is_refused(step: str, generation: int) -> None:
    run_id = seed("asking", status="waiting", owner=None)
    with pytest.raises(NotDone):
        tell(run_id, step=step, generation=generation)
    assert row(run_id)["signals"] == {}


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
def test_a_finished_run_hears_nothing(status: str) -> None:
    with pytest.raises(NotDone):
        tell(seed("asking", status=status, owner=None))


def test_an_absent_run_hears_nothing() -> None:
    with pytest.raises(NotDone, match="There is no run"):
        tell(new_id())


def test_the_signals_of_a_run_are_capped() -> None:
    run_id = seed("asking", status="pending", owner=None)
    tell(run_id, "s1", payload="x" * 40_000)
    with pytest.raises(NotDone):
        tell(run_id, "s2", payload="x" * 40_000)
    with pytest.raises(SignalRefused, match="bytes; a run takes"):
        tell(run_id, "s3", payload="x" * 70_000)
    assert [told["id"] for told in row(run_id)["signals"]["told"]] == ["s1"]


def test_a_payload_without_a_json_form_is_refused_with_a_sentence() -> None:
    with pytest.raises(SignalRefused, match="cannot be stored"):
        tell(seed("asking", status="pending", owner=None), payload=object())
