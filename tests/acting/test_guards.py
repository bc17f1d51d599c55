"""Each guard of people's verbs taken away once: the test that proves it has to fail then."""

from __future__ import annotations

import pytest

from tests.acting import test_twice as twice
from tests.runs import test_mark_seen as seen
from tests.support.mutations import Statement, fails

pushed = twice.test_c20_of_two_pushes_of_one_form_one_is_done_and_the_other_refused
EPOCH = r"r\.epoch = %\(epoch\)s"
GUARDS = {
    "hold: marked once": (
        Statement("hold", r"r\.signals #> '\{marks,hold\}' IS NULL"),
        lambda: pushed("hold, marked"),
    ),
    "cancel: marked once": (
        Statement("cancel", r"r\.signals #> '\{marks,cancel\}' IS NULL"),
        lambda: pushed("cancel, marked"),
    ),
    "flag: marked once": (
        Statement("flag", r"r\.signals #> '\{marks,flag\}' IS NULL"),
        lambda: pushed("flag, marked"),
    ),
    "nudge: once since it was shown": (
        Statement("nudge", r"coalesce\(.*?<= %\(seen_at\)s::timestamptz"),
        lambda: pushed("nudge"),
    ),
    "take_over: not from a good lease": (
        Statement("take_over", r"%\(even_held\)s"),
        twice.test_a_lease_that_was_renewed_meanwhile_is_not_taken_unless_the_person_knows,
    ),
    "mark_seen: this failure once": (
        Statement("mark_seen", r"s\.epoch < EXCLUDED\.epoch"),
        seen.test_a_second_mark_of_the_same_failure_writes_nothing,
    ),
    "mark_seen: the failure shown": (
        Statement("mark_seen", EPOCH),
        seen.test_a_failure_that_is_not_the_one_shown_is_left_unseen,
    ),
    "mark_seen: only a failed run": (
        Statement("mark_seen", r"r\.status = 'failed'"),
        lambda: seen.test_only_a_failed_run_is_marked_seen("pending"),
    ),
}


@pytest.mark.parametrize("name", GUARDS)
def test_the_proof_fails_without_its_guard(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation, proof = GUARDS[name]
    with mutation.applied(monkeypatch), fails():
        proof()
