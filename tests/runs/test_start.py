"""start: a run is put on the board once."""

from __future__ import annotations

import pytest

from runs import engine
from runs.errors import InputRefused, RunExists, RunIdRefused, UnknownWorkflow
from tests.support.factories import ask, log_of, new_id, row, seed


def test_a_started_run_stands_pending_at_its_first_step_with_nobody_holding_it() -> None:
    run_id = new_id()
    assert engine.start("pure", run_id, {"order_ref": "PO-1"}) is True
    now = row(run_id)
    assert now["cursor"] == {"step": "act", "status": "pending", "attempt": 0, "item": None}
    assert (now["epoch"], now["lease_owner"], now["order_ref"], now["workflow"]) == (0, None, "PO-1", "pure")
    assert [entry["kind"] for entry in log_of(run_id)] == ["started_run"]


def test_who_started_it_is_in_the_log() -> None:
    run_id = new_id()
    engine.start("pure", run_id, {}, actor="ada")
    assert log_of(run_id)[0]["actor"] == "ada"


def test_labels_of_the_input_are_written_with_it() -> None:
    run_id = new_id()
    engine.start("keyed", run_id, {"order_ref": "  PO  Größe "})
    assert ask("SELECT name, value, folded FROM run_label WHERE run_id = %(r)s", r=run_id) == [
        {"name": "ref", "value": "  PO  Größe ", "folded": "po grösse"}
    ]


def test_the_very_same_start_again_is_no_new_run() -> None:
    run_id = new_id()
    assert engine.start("pure", run_id, {"n": 1, "of": [1.5, None]})
    assert engine.start("pure", run_id, {"of": [1.5, None], "n": 1}) is False
    assert len(log_of(run_id)) == 1


def test_another_input_or_workflow_under_a_taken_run_id_is_refused() -> None:
    run_id = seed("pure", run_input={"n": 1})
    for name, given in (("pure", {"n": 2}), ("keyed", {"n": 1})):
        with pytest.raises(RunExists, match=f"Run '{run_id}' is there already"):
            engine.start(name, run_id, given)
    assert row(run_id)["input"] == {"n": 1}


def test_an_unknown_workflow_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(UnknownWorkflow, match=r"No workflow 'purchase_oder' .* known: .*pure"):
        engine.start("purchase_oder", new_id(), {})


@pytest.mark.parametrize(
    "run_id", ["", "x" * 201, "a\nb", "a\x00b", "a\x7f", "a\x85b", "a\ud800b"], ids=ascii
)
def test_a_run_id_out_of_bounds_is_refused_with_a_sentence(run_id: str) -> None:
    with pytest.raises(RunIdRefused, match=r"run_id .*\."):
        engine.start("pure", run_id, {})


@pytest.mark.parametrize(
    "run_id", ["x_'some/value'|50% #?+ é=", "..", "a%2Fb", "a//b", "http://e.com/x", "猫" * 190]
)
def test_any_other_run_id_is_taken_as_it_is(run_id: str) -> None:
    run_id = new_id(run_id)[:200]
    assert engine.start("pure", run_id, {})
    assert row(run_id)["run_id"] == run_id


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([1], "must be a JSON object"),
        ({"price": float("nan")}, "price holds NaN"),
        ({"name": "a\x00b"}, "name holds NaN, an infinity or NUL"),
        ({"when": {1, 2}}, "of type set"),
    ],
)
def test_an_input_that_json_cannot_hold_is_refused_and_nothing_is_started(given: object, why: str) -> None:
    run_id = new_id()
    with pytest.raises(InputRefused, match=why):
        engine.start("pure", run_id, given)  # type: ignore[arg-type]
    assert log_of(run_id) == []
