"""items(): position inside a step. Finished items are skipped, external ones committed one by one, cheap ones batched."""

from __future__ import annotations

from typing import Any

import pytest

from runs import actions
from runs.context import Context
from tests.support import flows
from tests.support.factories import ADA, ask, cases_of, items_of, lapse, outputs_of, row, seed, shown
from tests.support.working import Worker

LINES = ["a", "b", "c", "d"]


def looping(workflow: str = "loop", lines: list[str] | None = None, **state: Any) -> str:
    given = {"lines": lines or LINES}
    return seed(workflow, status="pending", attempt=0, owner=None, completed={}, run_input=given, **state)


def failing_at(item: str) -> flows.Told:
    """The item fails at its first doing only."""
    left = [item]

    def body(ctx: Context) -> Any:
        assert ctx.item is not None
        if ctx.item.key in left:
            left.remove(ctx.item.key)
            raise TimeoutError(item)
        return ctx.item.key

    return body


def due_now(run_id: str) -> None:
    ask("UPDATE run_state SET wake_at = clock_timestamp() WHERE run_id = %(r)s", r=run_id)


@pytest.mark.parametrize("workflow", ["loop", "sums", "charges"])
def test_each_item_is_done_once_in_order(workflow: str) -> None:
    run_id = looping(workflow)
    flows.on(run_id, "act", lambda ctx: ctx.item.key)
    assert Worker().drive(run_id) == "done"
    assert list(items_of(run_id).items()) == [(line, line) for line in LINES]
    assert row(run_id)["completed"]["act"] == {"lines": 4}


def test_each_item_has_a_key_of_its_own_that_a_repetition_keeps() -> None:
    run_id, worker = looping(), Worker()
    flows.on(run_id, "act", failing_at("c"))
    worker.drive(run_id)
    due_now(run_id)
    assert worker.drive(run_id) == "done"
    keys = flows.keys_of(run_id)
    assert (len(keys), len(set(keys))) == (5, 4)
    assert keys[2] == keys[3]


def test_finished_items_are_skipped_by_the_next_worker() -> None:
    run_id = looping()
    flows.on(run_id, "act", failing_at("c"))
    assert Worker().drive(run_id) == "started"
    assert (list(items_of(run_id)), row(run_id)["cursor"]["item"]) == (["a", "b"], "c")
    due_now(run_id)
    assert Worker().drive(run_id) == "done"
    assert flows.called(run_id, "act") == 5


def test_the_item_begun_stands_in_the_row_while_it_is_under_way() -> None:
    run_id, seen = looping(), []
    flows.on(
        run_id,
        "act",
        lambda ctx: seen.append(
            (ctx.item.key, row(run_id)["cursor"]["item"], row(run_id)["cursor"]["items_done"])
        ),
    )
    Worker().drive(run_id)
    assert seen == [(line, line, n) for n, line in enumerate(LINES)]


def test_an_unprotected_item_without_an_answer_is_in_doubt_by_itself() -> None:
    run_id = looping("charges")
    flows.on(run_id, "act", failing_at("b"))
    assert Worker().drive(run_id) == "in_doubt"
    assert [(case["item"], case["step"]) for case in cases_of(run_id)] == [("b", "act")]
    assert list(items_of(run_id)) == ["a"]


@pytest.mark.parametrize(
    "changed", [["b", "a", "c", "d"], ["x", "b", "c", "d"], ["c", "d"], ["a", "b", "x", "d"]]
)
def test_a_changed_sequence_blocks_the_run(changed: list[str]) -> None:
    run_id = looping()
    flows.on(run_id, "act", failing_at("c"))
    Worker().drive(run_id)
    ask(
        """UPDATE run_state SET input = jsonb_build_object('lines', %(l)s::text[]), wake_at = clock_timestamp()
           WHERE run_id = %(r)s""",
        l=changed,
        r=run_id,
    )
    status = Worker().drive(run_id)
    if changed == ["b", "a", "c", "d"]:
        assert status == "done"  # The same two are finished, in whichever order they were.
    else:
        # Leaving a call begun opens its case, unless its owner would rather repeat it.
        assert (status, "not those that were begun" in row(run_id)["cursor"]["reason"]) == ("blocked", True)


def test_items_whose_keys_are_not_unique_block_the_run() -> None:
    run_id = looping(lines=["a", "a"])
    assert Worker().drive(run_id) == "blocked"
    assert "not unique" in row(run_id)["cursor"]["reason"]


def test_an_item_left_without_a_result_or_saved_twice_blocks_the_run() -> None:
    left = looping("careless")
    assert Worker().drive(left) == "blocked"
    assert "without item.save(result)" in row(left)["cursor"]["reason"]
    twice = looping("sums")
    flows.on(twice, "act", lambda ctx: ctx.item.save("twice"))
    assert Worker().drive(twice) == "blocked"
    assert "is saved twice" in row(twice)["cursor"]["reason"]


def test_cheap_pure_items_are_batched() -> None:
    run_id = looping("sums", [f"line-{n:04}" for n in range(3000)])
    assert Worker().drive(run_id) == "done"
    writes = ask("SELECT count(DISTINCT xmin::text) AS n FROM run_item WHERE run_id = %(r)s", r=run_id)[0][
        "n"
    ]
    assert (len(items_of(run_id)), writes <= 30) == (3000, True)


def test_external_items_are_never_batched() -> None:
    run_id = looping("loop", [f"line-{n:02}" for n in range(40)])
    Worker().drive(run_id)
    assert ask("SELECT count(DISTINCT xmin::text) AS n FROM run_item WHERE run_id = %(r)s", r=run_id) == [
        {"n": 40}
    ]


def test_a_hold_stops_the_loop_at_its_next_item_and_lifting_goes_on_behind_it() -> None:
    run_id, worker = looping(), Worker()

    def body(ctx: Context) -> Any:
        if ctx.item is not None and ctx.item.key == "b" and flows.called(run_id, "act") == 2:
            actions.hold(shown(run_id), ADA)
        return ctx.item and ctx.item.key

    flows.on(run_id, "act", body)
    assert worker.drive(run_id) == "held"
    assert list(items_of(run_id)) == ["a", "b"]
    actions.lift(shown(run_id), ADA)
    assert worker.drive(run_id) == "done"
    assert (list(items_of(run_id)), flows.called(run_id, "act")) == (LINES, 4)


def test_a_drain_gives_the_loop_back_at_its_next_item() -> None:
    run_id, worker = looping(), Worker()
    flows.on(run_id, "act", lambda ctx: worker.process.gate_shut.set())
    assert worker.drive(run_id) == "pending"
    assert (list(items_of(run_id)), row(run_id)["lease_owner"], row(run_id)["cursor"]["item"]) == (
        ["a"],
        None,
        None,
    )
    assert Worker().drive(run_id) == "done"


def test_a_rewind_does_the_items_again_under_new_keys_and_keeps_the_old_results() -> None:
    run_id, worker = looping(), Worker()
    flows.on(run_id, "tidy", lambda ctx: {}["missing"])
    for _ in range(5):
        due_now(run_id)
        worker.drive(run_id)
    assert row(run_id)["status"] == "failed"
    flows.on(run_id, "tidy", lambda ctx: None)
    actions.rewind(shown(run_id), ADA, "act", ["act", "tidy"])
    assert worker.drive(run_id) == "done"
    assert len(set(flows.keys_of(run_id))) == 8
    assert outputs_of(run_id, "displaced")[0]["value"] == {"lines": 4}


def test_the_second_death_inside_an_item_counts_from_the_last_finished_one() -> None:
    run_id = looping(lapses=["w0#0", "w0#1"])
    flows.on(run_id, "act", failing_at("b"))
    assert Worker().drive(run_id) == "started"
    assert row(run_id)["lapses"] == []
    lapse(run_id)
