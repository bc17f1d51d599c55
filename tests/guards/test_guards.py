"""Each guard taken away once: the test that proves it has to fail then. A proof that passes without its guard proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runs import fence, loop
from runs.worker import settle
from runs.worker.process import Process
from tests.races import test_races as races
from tests.runs import test_claim as claim
from tests.runs import test_commit_step as commits
from tests.runs import test_doubt as doubt
from tests.runs import test_drains as drains
from tests.runs import test_drive as drive
from tests.runs import test_guard as guard
from tests.runs import test_leaving as leaving
from tests.runs import test_log as log
from tests.runs import test_loops as loops
from tests.runs import test_operators as operators
from tests.runs import test_rewind as rewinding
from tests.runs import test_settle as settling
from tests.runs import test_signal as signals
from tests.runs import test_sweep as sweeping
from tests.runs import test_zero_rows as zero_rows
from tests.support.factories import boot
from tests.support.mutations import Asleep, Function, Python, Statement, fails

Proof = Callable[[], Any]
Mutation = Statement | Function | Asleep | Python

POSITION = r"run_position\(r\.cursor\) = run_position\(%\(expected\)s::jsonb\)"


def judge_without_mine(*given: Any, **more: Any) -> bool:
    return JUDGE(*given, **{**more, "keeps": False})


JUDGE = fence.judge


def load_anything(self: Any, keys: list[str]) -> None:
    self._total, self._due_at = len(keys), 0.0


def told_by(tell: str, who: str) -> Proof:
    return lambda: doubt.test_only_the_call_that_the_case_names_may_tell(tell, who)


def left(**state: Any) -> Proof:
    workflow = state.pop("workflow", "pure")
    return lambda: claim.test_what_is_not_free_is_left_alone(workflow, state)


GUARDS: dict[str, tuple[Mutation, Proof]] = {
    "claim: the lease": (
        Statement("claim", r"\(r\.lease_owner IS NULL OR .*? < clock_timestamp\(\)\)"),
        left(lease=30.0),
    ),
    "claim: the time of a retry": (
        Statement("claim", r"\(r\.wake_at <= clock_timestamp\(\) OR .*?'waiting'\)\)"),
        left(status="pending", owner=None, wake=5.0),
    ),
    "claim: what this build knows": (
        Statement("claim", r"%\(vendors\)s::jsonb \? \(.*?\)"),
        left(status="pending", owner=None, step="of_a_newer_build"),
    ),
    "claim: the drain": (
        Statement("claim", r"NOT run_draining\(%\(owner\)s\)"),
        lambda: drains.test_a_drain_binds_the_processes_alive_at_the_mark_and_no_later_one("build"),
    ),
    "claim: the emergency hold": (
        Statement("claim", r"h\.lifted_at IS NULL", "false"),
        lambda: sweeping.test_an_emergency_hold_forbids_the_claim_and_changes_no_run({"workflow": "keyed"}),
    ),
    "claim: three deaths": (
        Statement("claim", r"cardinality\(f\.lapses\) >= 3", "false"),
        claim.test_the_third_lapse_by_a_second_owner_blocks_the_run,
    ),
    "claim: two owners of the deaths": (
        Statement("claim", r"count\(DISTINCT o\)", "count(*)"),
        claim.test_three_lapses_of_one_owner_do_not_block,
    ),
    "claim: poison dies alone": (
        Statement("claim", r"cardinality\(other\.lapses\) >= 2", "false"),
        claim.test_two_lapses_leave_the_run_to_a_process_without_another_such_run,
    ),
    "claim: deploy cuts are no deaths": (
        Statement("claim", r"NOT run_draining\(r\.lease_owner\)"),
        drains.test_three_deploys_in_a_row_do_not_block_a_run,
    ),
    "claim: marks": (
        Statement("claim", r"r\.signals \? 'marks'", "false"),
        sweeping.test_marks_are_honoured_by_the_claim_that_the_sweep_brought_about,
    ),
    "claim: SKIP LOCKED": (
        Statement("claim", "SKIP LOCKED", ""),
        races.test_of_two_claimers_one_wins_and_the_other_does_not_wait,
    ),
    "heartbeat: SKIP LOCKED": (
        Statement("heartbeat", "SKIP LOCKED", ""),
        races.test_a_row_locked_by_a_stranger_stops_no_heartbeat_of_the_others,
    ),
    "hold_lapsed: SKIP LOCKED": (
        Statement("hold_lapsed", "SKIP LOCKED", ""),
        races.test_a_sweep_that_looked_before_a_late_heartbeat_holds_nothing,
    ),
    "hold_lapsed: the lease": (
        Statement("hold_lapsed", r"r\.lease_expires_at < clock_timestamp\(\)"),
        races.test_a_sweep_that_looked_before_a_late_heartbeat_holds_nothing,
    ),
    "hold_lapsed: the epoch": (
        Statement("hold_lapsed", r"r\.epoch = %\(epoch\)s"),
        lambda: doubt.test_what_is_no_lapsed_unprotected_call_is_not_held("unprotected", {"lease": -1.0}, 6),
    ),
    "hold_lapsed: its status, C15": (
        Statement("hold_lapsed", r"run_unprotected\(.*?\)"),
        races.test_c15_a_sweep_that_looked_before_the_last_commit_moves_nothing,
    ),
    "commit_step: marks": (
        Statement("commit_step", r"WHEN r\.signals \? 'marks'", "WHEN false"),
        commits.test_a_mark_stops_the_worker_with_its_result_recorded,
    ),
    "wait: a signal that came first": (
        Statement("wait", r"%\(wanted\)s::text IS NOT NULL", "false"),
        leaving.test_a_signal_that_came_first_makes_the_wait_due_at_once,
    ),
    "signal: the same id": (
        Statement("signal", r"signals->'told', '\[\]'\) @> .*?\)\)", "signals->'x', '[]') @> '[1]'"),
        signals.test_the_same_id_twice_is_one_signal,
    ),
    "signal: an id that was consumed": (
        Statement(
            "signal", r"coalesce\(s\.signals->'consumed', '\[\]'\) \? \(%\(signal\)s::jsonb->>'id'\)", "false"
        ),
        signals.test_the_same_id_after_consumption_is_still_the_same_signal_also_on_a_finished_run,
    ),
    "signal: its generation": (
        Statement("signal", r"r\.generation = %\(generation\)s"),
        lambda: signals.test_an_answer_to_another_step_or_generation_is_refused("act", 1),
    ),
    "signal: its step": (
        Statement("signal", r"r\.step = %\(step\)s"),
        lambda: signals.test_an_answer_to_another_step_or_generation_is_refused("tidy", 0),
    ),
    "signal: the cap": (
        Statement("signal", r"<= %\(size_cap\)s", "< %(size_cap)s * 1000"),
        signals.test_the_signals_of_a_run_are_capped,
    ),
    "land_late: the owner": (
        Statement("land_late", r"d\.owner = %\(owner\)s"),
        told_by("land", "another owner"),
    ),
    "land_late: the epoch": (
        Statement("land_late", r"d\.epoch = %\(epoch\)s"),
        told_by("land", "another epoch"),
    ),
    "land_late: the start": (
        Statement("land_late", r"d\.start_cursor = %\(expected\)s::jsonb"),
        told_by("land", "another start"),
    ),
    "land_late: a person's case": (
        Statement("land_late", r"d\.opened_by = ''"),
        told_by("land", "a case of a person"),
    ),
    "land_late: an open case": (
        Statement("land_late", r"d\.closed_at IS NULL"),
        told_by("land", "a closed case"),
    ),
    "land_late: the row still held by it": (
        Statement("land_late", r"r\.epoch = d\.held_epoch"),
        told_by("land", "a row that moved"),
    ),
    "not_sent: the only call": (
        Statement("not_sent", r"d\.attempts = 1"),
        doubt.test_where_another_unknown_call_joined_one_never_sent_settles_nothing,
    ),
    "not_sent: the row still held by it": (
        Statement("not_sent", r"r\.epoch = d\.held_epoch"),
        told_by("not_sent", "a row that moved"),
    ),
    "take_over: the position shown": (
        Statement("take_over", POSITION),
        lambda: races.test_a_person_who_waits_for_the_owners_commit_acts_on_what_stands_then_or_not_at_all(
            "take_over"
        ),
    ),
    "take_over: the unknown call": (
        Statement("take_over", r"run_unprotected\(.*?\)", "false"),
        operators.test_a_take_over_of_an_unprotected_call_opens_its_case_and_the_owner_may_still_land,
    ),
    "rewind: nobody holds it": (
        Statement("rewind", r"\(r\.lease_owner IS NULL OR .*?\)\)"),
        rewinding.test_a_run_that_somebody_holds_is_not_rewound,
    ),
    "the row: a new owner needs a higher epoch": (
        Function("run_may_change_hands", r"new\.epoch > old\.epoch"),
        guard.test_a_new_owner_without_a_higher_epoch_is_skipped,
    ),
    "the row: epochs never go down": (
        Function("run_may_change_hands", r"new\.epoch < old\.epoch", "false"),
        guard.test_a_lower_epoch_is_refused_with_a_sentence,
    ),
    "the row: parked is nobody's": (
        Function("run_may_change_hands", r"(new|old)\.status NOT IN \(.*?\)"),
        lambda: guard.test_a_parked_or_finished_row_gets_no_new_owner("held"),
    ),
    "the row: unprotected is nobody's": (
        Function("run_may_change_hands", r"NOT run_unprotected\(.*?\)"),
        lambda: guard.test_a_lapsed_unprotected_call_gets_no_new_owner_and_neither_does_one_without_a_guard(
            "unprotected"
        ),
    ),
    "the row: parking takes the lease off": (
        Function("run_state_guard", r"NEW\.lease_owner := NULL", "NULL"),
        lambda: guard.test_the_present_owner_parks_its_run_and_the_guard_takes_the_lease_off("held"),
    ),
    "the row: who only asked sent nothing": (
        Function("run_state_guard", r"NEW\.cursor->>'asked' IS DISTINCT FROM OLD\.epoch::text"),
        settling.test_asking_does_not_put_off_the_moment_from_which_a_no_counts,
    ),
    "the row: cancel before hold": (
        Function("run_honour", r"'cancel' THEN 'cancel'", "'cancel' THEN 'hold'"),
        lambda: operators.test_cancel_goes_before_flag_before_hold("hold flag cancel", "cancelled"),
    ),
    "the log: every move": (
        Asleep("run_state", "run_state_log"),
        commits.test_the_result_lands_and_the_next_step_is_begun_in_one_write,
    ),
    "the log: nothing is taken out": (
        Asleep("run_transition", "run_transition_no_change"),
        lambda: log.test_what_was_written_stays_written(
            "run_transition", "UPDATE {} SET reason = reason WHERE id = (SELECT max(id) FROM run_transition)"
        ),
    ),
    "results: none has one copy only": (
        Function("run_keep_displaced", r"completed->was\.key IS DISTINCT FROM was\.value", "false"),
        rewinding.test_a_rewind_keeps_every_result_that_leaves_and_gives_new_keys,
    ),
    "zero rows: still mine?": (
        Python(fence, "judge", judge_without_mine),
        zero_rows.test_landed_and_no_longer_mine_stops_though_the_cursor_has_not_moved,
    ),
    "worker: its own deadline": (
        Python(Process, "may_send", lambda self, one: True),
        drive.test_a_process_past_its_own_deadline_sends_nothing_and_says_so,
    ),
    "settling: a no counts late only": (
        Python(settle, "no_is_final_at", lambda run, step: run.claimed_at),
        settling.test_a_no_of_the_probe_counts_only_after_the_last_possible_send_the_timeout_and_the_settle_time,
    ),
    "settling: a key is forgotten": (
        Python(settle, "_by_key", lambda run, step: settle.Again()),
        settling.test_a_key_that_the_vendor_may_have_forgotten_goes_in_doubt,
    ),
    "items: their sequence": (
        Python(loop.Loop, "_load", load_anything),
        lambda: loops.test_a_changed_sequence_blocks_the_run(["c", "d"]),
    ),
}


@pytest.mark.parametrize("name", GUARDS)
def test_the_proof_fails_without_its_guard(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation, proof = GUARDS[name]
    if name.startswith(("claim", "signal", "hold", "rewind")) and "emergency" not in name:
        boot(knows={"pure": ["act"]})
    with mutation.applied(monkeypatch), fails():
        proof()


def test_with_every_guard_back_in_its_place_the_proofs_pass() -> None:
    for _, proof in GUARDS.values():
        proof()
