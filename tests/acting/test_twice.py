"""The same button pushed twice, by one person or by two: exactly one effect, and a refusal for the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from runs import actions
from runs.actions import NotDone, Shown
from tests.support.factories import ADA, BEN, ask, cases_of, lapse, log_of, row, seed, shown
from tests.support.races import at_once, sides, wait_until_one_is_blocked_by

Verb = Callable[[Shown, actions.Actor], Any]
HERE = {"status": "pending", "owner": None}
FAILED = {"status": "failed", "owner": None}
WAYS: dict[str, tuple[Verb, dict[str, Any]]] = {
    "take_over": (actions.take_over, {}),
    "hold, marked": (actions.hold, {}),
    "hold, at once": (actions.hold, HERE),
    "lift": (actions.lift, {"status": "held", "owner": None}),
    "cancel, marked": (actions.cancel, {}),
    "cancel, at once": (actions.cancel, HERE),
    "flag, marked": (actions.flag, {}),
    "flag, at once": (actions.flag, HERE),
    "retry_failed": (actions.retry_failed, FAILED),
    "mark_seen": (actions.mark_seen, FAILED),
    "rewind": (lambda seen, who: actions.rewind(seen, who, "act", ["act", "tidy"]), FAILED),
    "nudge": (actions.nudge, HERE),
}


def timed(run_id: str) -> Shown:
    """The run with the moment at which it was shown, as a page prints it."""
    seen = shown(run_id)
    return Shown(seen.run_id, seen.epoch, seen.cursor, ask("SELECT clock_timestamp() AS now")[0]["now"])


def handed_back(verb: Verb, seen: Shown, who: actions.Actor) -> Any:
    """In a thread of its own, whose connection goes back to the pool as at the end of a request."""
    try:
        return verb(seen, who)
    finally:
        connection.close()


@pytest.mark.parametrize("way", WAYS)
def test_c20_of_two_pushes_of_one_form_one_is_done_and_the_other_refused(way: str) -> None:
    verb, where = WAYS[way]
    run_id = seed("pure", **where)
    seen, length = timed(run_id), len(log_of(run_id))
    verb(seen, ADA)
    stands = row(run_id)
    with pytest.raises(NotDone):
        verb(seen, BEN)
    assert (row(run_id)["epoch"], row(run_id)["signals"]) == (stands["epoch"], stands["signals"])
    assert len(log_of(run_id)) == length + 1
    assert sum(case["attempts"] for case in cases_of(run_id)) == (1 if "flag" in way else 0)


@pytest.mark.parametrize("way", WAYS)
def test_c20_of_two_people_in_the_same_second_one_waits_for_the_other_and_is_refused(way: str) -> None:
    verb, where = WAYS[way]
    run_id = seed("pure", **where)
    seen, length = timed(run_id), len(log_of(run_id))
    with sides(1) as (door,):
        with door.holding(run_id):
            asked = [at_once(lambda who=who: handed_back(verb, seen, who)) for who in (ADA, BEN)]
            wait_until_one_is_blocked_by(door.pid)
        answers = [each.exception(timeout=10) for each in asked]
    assert sorted(type(answer).__name__ for answer in answers) == ["NoneType", "NotDone"]
    assert len(log_of(run_id)) == length + 1


def test_a_lease_that_was_renewed_meanwhile_is_not_taken_unless_the_person_knows() -> None:
    run_id = seed("pure")
    lapse(run_id)
    seen = shown(run_id)
    ask(
        "UPDATE run_state SET lease_expires_at = clock_timestamp() + interval '30 s' WHERE run_id = %(r)s",
        r=run_id,
    )
    with pytest.raises(NotDone):
        actions.take_over(seen, ADA, even_held=False)
    actions.take_over(seen, ADA)
    assert row(run_id)["epoch"] == 8


def test_a_nudge_of_what_was_shown_after_the_last_nudge_is_a_new_one() -> None:
    run_id = seed("pure", **HERE)
    actions.nudge(timed(run_id), ADA)
    actions.nudge(timed(run_id), BEN)
    assert [entry["kind"] for entry in log_of(run_id)[1:]] == ["nudged", "nudged"]
