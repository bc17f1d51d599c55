"""rewind, retry_failed, nudge: a person has a run do something again, or sooner."""

from __future__ import annotations

from typing import Any

import pytest

from runs import actions
from runs.actions import NotDone, Shown
from tests.support.factories import ADA, ask, kinds, new_id, outputs_of, row, seed, shown


def rewind(seen: Shown) -> Any:
    return actions.rewind(seen, ADA, "act", ["act", "tidy"])


def test_a_rewind_keeps_every_result_that_leaves_and_gives_new_keys() -> None:
    run_id = seed(
        "keyed",
        step="tidy",
        status="failed",
        owner=None,
        completed={"act": {"charge": "ch_1"}, "first": 1},
        signals={"told": [{"id": "s1", "name": "x", "step": "tidy", "generation": 0}], "consumed": ["s0"]},
    )
    rewind(shown(run_id))
    now = row(run_id)
    assert (now["completed"], now["step"], now["status"], now["signals"]) == (
        {"first": 1},
        "act",
        "pending",
        {"consumed": ["s0"]},
    )
    assert (now["generation"], now["entered_generation"]) == (1, 1)
    assert [(kept["step"], kept["value"]) for kept in outputs_of(run_id, "displaced")] == [
        ("act", {"charge": "ch_1"})
    ]
    assert kinds(run_id) == ["rewound"]


@pytest.mark.parametrize("status", ["started", "in_doubt"])
def test_an_effect_under_way_is_resolved_and_not_rewound(status: str) -> None:
    run_id = seed("keyed", status=status, owner=None)
    with pytest.raises(NotDone):
        rewind(shown(run_id))


def test_a_run_that_somebody_holds_is_not_rewound() -> None:
    with pytest.raises(NotDone):
        rewind(shown(seed("pure", status="pending")))


def test_a_retry_begins_its_attempts_anew_and_forgets_the_reason() -> None:
    run_id = seed(
        "pure",
        status="blocked",
        owner=None,
        attempt=3,
        lapses=["a", "b"],
        reason="Its worker died here 3 times.",
    )
    actions.retry_failed(shown(run_id), ADA)
    now = row(run_id)
    assert now["cursor"] == {"step": "act", "status": "pending", "attempt": 0, "item": None}
    assert (now["lapses"], kinds(run_id)) == ([], ["retried"])


def test_a_nudge_brings_a_retry_forward_and_moves_nothing_else() -> None:
    run_id = seed("pure", status="pending", owner=None, wake=500)
    actions.nudge(shown(run_id), ADA)
    due = ask(
        "SELECT wake_at <= clock_timestamp() AS due, epoch FROM run_state WHERE run_id = %(r)s", r=run_id
    )
    assert (due, kinds(run_id)) == ([{"due": True, "epoch": 7}], ["nudged"])


def test_a_nudge_does_not_hurry_a_probe_whose_no_is_not_final() -> None:
    run_id = seed("probed", owner=None, wake=500)
    actions.nudge(shown(run_id), ADA)
    assert ask(
        "SELECT wake_at > clock_timestamp() AS ahead FROM run_state WHERE run_id = %(r)s", r=run_id
    ) == [{"ahead": True}]


@pytest.mark.parametrize("run_id", [None, "held", "done", "in_doubt"])
def test_a_run_that_a_person_must_move_is_not_nudged(run_id: str | None) -> None:
    with pytest.raises(NotDone):
        actions.nudge(
            shown(seed("pure", status=run_id, owner=None))
            if run_id
            else Shown(new_id(), 7, {"step": "act", "status": "pending"}),
            ADA,
        )
