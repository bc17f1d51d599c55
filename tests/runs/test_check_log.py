"""check_log: what the log must prove, and that each lie in it is found."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from django.core.management import call_command

from runs import actions, checking, engine
from runs.checking import Checked, violations
from runs.results import stored
from tests.support.factories import (
    ADA,
    W1,
    W2,
    ask,
    held_by,
    lapse,
    log_of,
    new_id,
    overtake,
    row,
    seed,
    shown,
)
from tests.support.working import Worker


def check(run_id: str) -> tuple[str, int]:
    out = io.StringIO()
    try:
        call_command("check_log", run=run_id, stdout=out)
    except SystemExit as end:
        return out.getvalue(), int(end.code or 0)
    return out.getvalue(), 0


@pytest.fixture
def told() -> Iterator[str]:
    """A run with a story: claimed, committed, taken over, rewound and done."""
    run_id = seed("keyed", status="pending", attempt=0, owner=None, completed={})
    Worker().drive(run_id)
    yield run_id


def quietly(text: str, run_id: str) -> None:
    """Change rows as nobody could: with every trigger asleep."""
    ask(
        f"SET session_replication_role = replica; {text.format(run_id)}; SET session_replication_role = origin"
    )


def test_a_true_log_passes_and_says_how_much_was_checked(told: str) -> None:
    assert check(told) == ("Checked 5 rows of 1 runs: no violation.\n", 0)


def test_rewinds_edits_deletions_losses_and_late_results_are_no_violation() -> None:
    run_id = seed("keyed")
    stale = held_by(W1, run_id)
    overtake(run_id)
    with pytest.raises(engine.LeaseLost):
        engine.commit(stale, W1, stored(1), {"step": "tidy", "status": "pending", "attempt": 0, "item": None})
    engine.report(engine.Kind.COMMIT_REFUSED, stale, W1, "It tried.", result="1")
    engine.commit(
        held_by(W2, run_id),
        W2,
        stored({"a": 1}),
        {"step": "tidy", "status": "pending", "attempt": 0, "item": None},
        keep=False,
    )
    actions.rewind(shown(run_id), ADA, "act", ["act", "tidy"])
    ask("UPDATE run_state SET completed = '{\"x\": 1}', input = '{}' WHERE run_id = %(r)s", r=run_id)
    late = seed("unprotected")
    owner = held_by(W1, late)
    lapse(late)
    engine.hold_lapsed(late, 7)
    engine.land_late(
        owner,
        W1,
        stored({"text": "x" * 9000}),
        {"step": "tidy", "status": "pending", "attempt": 0, "item": None},
    )
    assert (check(run_id)[1], check(late)[1]) == (0, 0)
    ask("DELETE FROM run_state WHERE run_id = %(r)s", r=run_id)
    seed("keyed", run_id=run_id, epoch=0, owner=None)
    assert check(run_id)[1] == 0


def test_an_absent_run_has_nothing_to_check() -> None:
    assert check(new_id()) == ("Checked 0 rows of 0 runs: no violation.\n", 0)


LIES = {
    "has epoch 2, and row": "UPDATE run_transition SET epoch = 2 WHERE run_id = '{}' AND kind = 'done'",
    "begins at another cursor": "DELETE FROM run_transition WHERE run_id = '{}' AND kind = 'step_completed'",
    "a change of hands between them": "UPDATE run_transition SET owner_before = 'thief' WHERE run_id = '{}' AND kind = 'done'",
    "had that epoch already": "UPDATE run_transition SET owner_after = 'thief' WHERE run_id = '{}' AND kind = 'step_completed'",
    "it stands at another epoch": "UPDATE run_state SET epoch = 99 WHERE run_id = '{}'",
    "it stands at another cursor": """UPDATE run_state SET cursor = cursor || '{{"status": "failed"}}' WHERE run_id = '{}'""",
    "it is held by another owner": "UPDATE run_state SET lease_owner = 'thief' WHERE run_id = '{}'",
    "neither in completed nor": "UPDATE run_state SET completed = completed - 'act' WHERE run_id = '{}'",
    "after row": """INSERT INTO run_item (run_id, step, item, generation, epoch, attempt) VALUES ('{}', 'act', 'a', 0, 7, 1)""",
}


@pytest.mark.parametrize("sentence", LIES)
def test_each_lie_is_found_and_named_with_its_run(told: str, sentence: str) -> None:
    quietly(LIES[sentence], told)
    said, status = check(told)
    assert status == 1
    assert sentence in said
    assert all(line.startswith((f"Run {told}: ", "Checked ")) for line in said.splitlines())


def test_it_reads_in_pages_that_may_end_inside_a_run(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PAGE", 2)
    monkeypatch.setattr(checking, "RUNS_AT_ONCE", 1)
    checked = Checked()
    assert list(violations(checked, told)) == []
    assert checked == Checked(rows=len(log_of(told)), runs=1)


def test_the_run_of_the_story_is_done(told: str) -> None:
    assert row(told)["status"] == "done"
