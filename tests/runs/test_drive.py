"""A worker drives a run: what each end of a step's body leads to."""

from __future__ import annotations

from typing import Any

import pytest

from runs import actions
from runs.context import Context
from runs.workflow import KeyInUse, NotSent, Refused
from tests.support import flows
from tests.support.factories import ADA, ask, cases_of, kinds, log_of, new_id, outputs_of, row, seed, shown
from tests.support.working import Worker

GUARDED = ["keyed", "probed", "repeat_ok"]


def queued(workflow: str, **state: Any) -> str:
    return seed(workflow, status="pending", attempt=0, owner=None, completed={}, **state)


def raising(error: Exception) -> flows.Told:
    def body(ctx: Context) -> Any:
        raise error

    return body


@pytest.mark.parametrize("workflow", ["pure", "keyed", "probed", "repeat_ok", "unprotected", "renamed"])
def test_from_claim_to_done_each_step_is_called_once(workflow: str) -> None:
    run_id = queued(workflow, step="charge" if workflow == "renamed" else "act")
    assert Worker().drive(run_id) == "done"
    now = row(run_id)
    assert len([run for run, *_ in flows.calls if run == run_id]) == 2
    assert (now["lease_owner"], set(now["completed"]) - {"tidy"}) == (
        None,
        {now["completed"] and ("charge" if workflow == "renamed" else "act")},
    )
    assert kinds(run_id) == ["claimed", "step_started", "step_completed", "done"]


def test_the_body_sees_its_input_earlier_results_and_its_key() -> None:
    run_id, seen = queued("keyed", run_input={"n": 4}), {}

    def body(ctx: Context) -> Any:
        seen.update(
            input=ctx.input,
            attempt=ctx.attempt,
            epoch=ctx.epoch,
            key=ctx.idempotency_key,
            left=ctx.deadline_seconds(),
        )
        return 41

    flows.on(run_id, "act", body)
    flows.on(run_id, "tidy", lambda ctx: ctx.results["act"] + 1)
    Worker().drive(run_id)
    assert (seen["input"], seen["attempt"], seen["epoch"], seen["left"]) == ({"n": 4}, 1, 8, 5.0)
    assert len(seen["key"]) == 40
    assert row(run_id)["completed"]["tidy"] == 42


def test_no_connection_is_held_while_a_body_runs() -> None:
    run_id = queued("pure")
    flows.on(
        run_id,
        "act",
        lambda ctx: ask(
            "SELECT count(*) AS n FROM pg_stat_activity WHERE state LIKE 'idle in%%' AND "
            "datname = current_database()"
        )[0]["n"],
    )
    Worker().drive(run_id)
    assert row(run_id)["completed"]["act"] == 0


@pytest.mark.parametrize("workflow", ["pure", *GUARDED, "unprotected"])
def test_what_was_surely_not_sent_is_tried_again_under_the_same_key(workflow: str) -> None:
    run_id, worker = queued(workflow), Worker()
    flows.on(run_id, "act", raising(NotSent("connection refused")))
    assert worker.drive(run_id) == "pending"
    assert (row(run_id)["generation"], kinds(run_id)[-1]) == (0, "retry_scheduled")
    due_now(run_id)
    flows.on(run_id, "act", lambda ctx: ctx.attempt)
    assert worker.drive(run_id) == "done"
    assert row(run_id)["completed"]["act"] == 2
    assert len(set(flows.keys_of(run_id))) == 1


def due_now(run_id: str) -> None:
    ask("UPDATE run_state SET wake_at = clock_timestamp() WHERE run_id = %(r)s", r=run_id)


@pytest.mark.parametrize("workflow", [*GUARDED, "unprotected"])
def test_a_judged_no_raises_the_generation_and_the_next_attempt_has_another_key(workflow: str) -> None:
    run_id, worker = queued(workflow), Worker()
    flows.on(run_id, "act", raising(Refused("card declined")))
    assert worker.drive(run_id) == "pending"
    assert row(run_id)["generation"] == 1
    due_now(run_id)
    worker.drive(run_id)
    assert len(set(flows.keys_of(run_id))) == 2


@pytest.mark.parametrize("error", [NotSent("no route"), Refused("declined")])
def test_attempts_end_in_failed_with_a_sentence_and_the_traceback(error: Exception) -> None:
    run_id, worker = queued("unprotected"), Worker()
    flows.on(run_id, "act", raising(error))
    for _ in range(3):
        due_now(run_id)
        worker.drive(run_id)
    now = row(run_id)
    assert (now["status"], "after 3 tries" in now["cursor"]["reason"]) == ("failed", True)
    assert type(error).__name__ in outputs_of(run_id, "error")[-1]["raw"]
    assert cases_of(run_id) == []


def test_any_other_exception_of_an_unprotected_call_goes_in_doubt_at_once() -> None:
    run_id = queued("unprotected", run_input={"amount": "12.50"})
    flows.on(run_id, "act", raising(TimeoutError("read timed out")))
    assert Worker().drive(run_id) == "in_doubt"
    (case,) = cases_of(run_id)
    assert (str(case["amount"]), case["currency"], "TimeoutError" in case["reason"]) == ("12.50", "EUR", True)


@pytest.mark.parametrize("workflow", GUARDED)
def test_any_other_exception_of_a_guarded_call_stays_started_for_its_guard_to_settle(workflow: str) -> None:
    run_id = queued(workflow)
    flows.on(run_id, "act", raising(TimeoutError("read timed out")))
    assert Worker().drive(run_id) == "started"
    now = row(run_id)
    assert (now["cursor"]["unknown"], now["lease_owner"], now["generation"]) == (True, None, 0)
    assert now["wake_at"] is not None


def test_a_refusal_while_an_earlier_attempt_is_unknown_settles_only_what_the_vendor_knows_by_key() -> None:
    for workflow, generation in (("keyed", 1), ("probed", 0)):
        run_id, worker = queued(workflow), Worker()
        flows.on(run_id, "act", raising(TimeoutError()))
        worker.drive(run_id)
        flows.on(run_id, "act", raising(Refused("declined")))
        long_ago(run_id)
        worker.drive(run_id)
        assert (row(run_id)["generation"], flows.called(run_id, "act")) == (generation, 2)


def long_ago(run_id: str) -> None:
    """Nobody can still be sending: every moment of this call lies an hour back."""
    text = """UPDATE run_state SET wake_at = clock_timestamp(), first_started_at = first_started_at - interval '1 hour',
              may_send_until = may_send_until - interval '1 hour' WHERE run_id = %(r)s"""
    ask(text, r=run_id)


@pytest.mark.parametrize(
    ("workflow", "end"), [("keyed", "in_doubt"), ("repeat_ok", "failed"), ("pure", "failed")]
)
def test_attempts_without_an_answer_end_where_the_guard_says(workflow: str, end: str) -> None:
    run_id, worker = queued(workflow), Worker()
    flows.on(run_id, "act", raising(TimeoutError("read timed out")))
    for _ in range(3):
        due_now(run_id)
        worker.drive(run_id)
    assert (row(run_id)["status"], len(cases_of(run_id))) == (end, 1 if end == "in_doubt" else 0)


def test_a_key_in_use_is_asked_again_however_often() -> None:
    run_id, worker = queued("keyed"), Worker()
    flows.on(run_id, "act", raising(KeyInUse("still working")))
    for _ in range(5):
        due_now(run_id)
        worker.drive(run_id)
    assert row(run_id)["status"] == "started"


def test_c03_a_paid_result_with_nul_is_stored_marked_and_not_bought_again() -> None:
    run_id = queued("unprotected")
    flows.on(run_id, "act", lambda ctx: {"text": "Mr\x00 Smith"})
    assert Worker().drive(run_id) == "done"
    assert row(run_id)["completed"]["act"] == {"text": "Mr\ufffd Smith", "_altered": ["text"]}
    assert (flows.called(run_id, "act"), "\\u0000" in outputs_of(run_id, "raw")[0]["raw"]) == (1, True)


def test_c03_nul_in_an_error_does_not_keep_it_from_being_told() -> None:
    run_id = queued("unprotected")
    flows.on(run_id, "act", raising(ValueError("half an\x00swer")))
    assert Worker().drive(run_id) == "in_doubt"
    assert "half an\ufffdswer" in row(run_id)["cursor"]["reason"]


@pytest.mark.parametrize("result", [{"charge": {"amount": float("nan"), "currency": "EUR"}}, {"when": {1}}])
def test_c04_an_effect_whose_result_cannot_be_stored_is_known_to_have_happened_with_its_raw_text(
    result: Any,
) -> None:
    for workflow in ("unprotected", "keyed"):
        run_id = queued(workflow)
        flows.on(run_id, "act", lambda ctx: result)
        assert Worker().drive(run_id) == "in_doubt"
        (case,) = cases_of(run_id)
        assert case["known"] is True
        assert case["reason"].startswith("It happened, and its result could not be saved")
        assert outputs_of(run_id, "raw")[0]["raw"]


def test_c04_a_pure_step_whose_result_cannot_be_stored_blocks_the_run() -> None:
    run_id = queued("pure")
    flows.on(run_id, "act", lambda ctx: {"when": {1}})
    assert Worker().drive(run_id) == "blocked"


def test_a_drain_commits_the_step_under_way_and_gives_the_run_back() -> None:
    run_id, worker = queued("unprotected"), Worker()
    flows.on(run_id, "act", lambda ctx: worker.process.gate_shut.set() or {"paid": True})
    assert worker.drive(run_id) == "pending"
    now = row(run_id)
    assert (now["step"], now["lease_owner"], now["completed"]) == ("tidy", None, {"act": {"paid": True}})
    assert log_of(run_id)[-1]["lease_event"] == "released"
    assert Worker().drive(run_id) == "done"


def test_a_run_is_driven_once_per_process() -> None:
    run_id, worker, inner = queued("pure"), Worker(), []
    flows.on(run_id, "act", lambda ctx: inner.append(worker.drive(run_id)))
    worker.drive(run_id)
    assert (inner, flows.called(run_id, "act")) == (["started"], 1)


def test_an_emergency_hold_heard_at_the_beat_stops_the_next_effect_before_it_is_sent() -> None:
    run_id, worker = queued("unprotected"), Worker()
    worker.process.holds = [{"workflow": "", "step": "", "vendor": "Testbank"}]
    assert worker.drive(run_id) == "pending"
    assert (flows.called(run_id, "act"), row(run_id)["cursor"]["attempt"], row(run_id)["lease_owner"]) == (
        0,
        0,
        None,
    )


def test_a_person_who_takes_over_during_a_call_lets_its_late_result_land() -> None:
    run_id, worker = queued("unprotected"), Worker()
    flows.on(run_id, "act", lambda ctx: actions.take_over(shown(run_id), ADA) and {"paid": True})
    assert worker.drive(run_id) == "pending"
    assert (row(run_id)["completed"], worker.offered) == ({"act": {"paid": True}}, [run_id])


def test_a_worker_that_lost_a_keyed_call_reports_its_result_and_goes_no_further() -> None:
    run_id, worker = queued("keyed"), Worker()
    flows.on(run_id, "act", lambda ctx: actions.take_over(shown(run_id), ADA) and {"paid": True})
    assert worker.drive(run_id) == "started"
    assert kinds(run_id)[-1] == "commit_refused"
    assert outputs_of(run_id, "refused")[0]["value"] == {"paid": True}
    assert flows.called(run_id, "tidy") == 0


def test_an_amount_that_cannot_be_reckoned_blocks_before_anything_is_sent() -> None:
    run_id = queued("unprotected", run_input={"amount": "twelve"})
    assert Worker().drive(run_id) == "blocked"
    assert (flows.called(run_id, "act"), cases_of(run_id)) == (0, [])


def test_a_process_past_its_own_deadline_sends_nothing_and_says_so() -> None:
    """It slept between its start mark and the send: the lease lapsed, and by now the sweep holds the run."""
    for held in (False, True):
        run_id, worker = queued("unprotected", step="act"), Worker(ttl=30.0)
        sleep_before_sending(worker, run_id, held)
        assert worker.drive(run_id) == "pending"
        assert (flows.called(run_id, "act"), row(run_id)["step"], worker.offered) == (0, "act", [run_id])
        assert [case["outcome"] for case in cases_of(run_id)] == (["not_sent"] if held else [])


def sleep_before_sending(worker: Worker, run_id: str, held: bool) -> None:
    """The drive of this run finds its renewal long past: as after a SIGSTOP between mark and send."""
    from runs import engine
    from runs.worker import driver

    renewed = driver.Driver.renewed
    once = [True]

    def renewed_long_ago(self: driver.Driver, sent_at: float) -> None:
        renewed(self, sent_at - 3600 if once else sent_at)
        if once.pop() and held:
            ask(
                "UPDATE run_state SET lease_expires_at = clock_timestamp() - interval '1 s' WHERE run_id = %(r)s",
                r=run_id,
            )
            assert engine.hold_lapsed(run_id, 8)
        driver.Driver.renewed = renewed  # type: ignore[method-assign]

    driver.Driver.renewed = renewed_long_ago  # type: ignore[method-assign]


def test_an_unknown_run_is_driven_nowhere() -> None:
    from runs.worker.drive import drive

    assert drive(Worker().process, new_id()) is False
