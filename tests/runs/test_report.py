"""report: a worker that lost a run tells what it did, and moves nothing."""

from __future__ import annotations

import pytest

from runs import engine
from runs.results import stored
from runs.states import Kind
from tests.support.factories import (
    W1,
    cases_of,
    held_by,
    lapse,
    log_of,
    new_id,
    outputs_of,
    overtake,
    row,
    seed,
    unchanged,
)


@pytest.mark.parametrize("kind", [Kind.COMMIT_REFUSED, Kind.LOSS_NOTICED])
def test_it_is_in_the_log_and_the_run_stands(kind: Kind) -> None:
    run_id = seed("keyed")
    stale = held_by(W1, run_id)
    overtake(run_id)
    before = row(run_id)
    engine.report(kind, stale, W1, "It tried to record 'act' with epoch 7.", result=stored({"paid": 1}).text)
    entry = log_of(run_id)[-1]
    assert (entry["kind"], entry["epoch"], entry["owner_before"], entry["reason"][:8]) == (
        kind,
        7,
        W1.owner,
        "It tried",
    )
    assert [kept["value"] for kept in outputs_of(run_id, "refused")] == [{"paid": 1}]
    assert unchanged(run_id, before)
    assert cases_of(run_id) == []


def test_a_refused_unprotected_call_joins_the_case_of_its_step() -> None:
    run_id = seed("unprotected")
    stale = held_by(W1, run_id)
    lapse(run_id)
    engine.hold_lapsed(run_id, 7)
    engine.report(Kind.COMMIT_REFUSED, stale, W1, "It was done.", result="{}")
    assert [case["attempts"] for case in cases_of(run_id)] == [2]


def test_about_an_absent_run_it_writes_nothing() -> None:
    run = held_by(W1, seed("keyed"))
    run.run_id = new_id("gone")
    engine.report(Kind.COMMIT_REFUSED, run, W1, "It was done.", result="{}")
    assert (log_of(run.run_id), outputs_of(run.run_id)) == ([], [])
