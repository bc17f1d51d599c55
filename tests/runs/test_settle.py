"""A claim that finds an effect begun by another settles it by the guard in its start mark."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from runs import actions
from runs.context import Context
from tests.support import flows
from tests.support.factories import ADA, W1, ask, cases_of, row, seed
from tests.support.working import Worker

# The probed call of tests.support.flows: a timeout of 5 s, and 3 s until the vendor knows.
FINAL_SECONDS = 8.0


def abandoned(workflow: str, *, sent_until: float = -1.0, began: float = -20.0, **state: Any) -> str:
    """A call begun `began` seconds from now, whose worker's lease ended at `sent_until`."""
    run_id = seed(workflow, owner=W1.owner, lease=sent_until, completed={}, **state)
    text = "UPDATE run_state SET first_started_at = clock_timestamp() + %(s)s * interval '1 s' WHERE run_id = %(r)s"
    ask(text, s=began, r=run_id)
    return run_id


def due_in(run_id: str) -> float:
    text = "SELECT extract(epoch FROM wake_at - clock_timestamp())::float8 AS s FROM run_state WHERE run_id = %(r)s"
    return float(ask(text, r=run_id)[0]["s"])


@pytest.mark.parametrize("workflow", ["pure", "keyed", "repeat_ok"])
def test_it_is_called_again_with_the_same_key_as_the_next_attempt(workflow: str) -> None:
    run_id, attempts = abandoned(workflow), []
    flows.on(run_id, "act", lambda ctx: attempts.append((ctx.attempt, ctx.generation)))
    assert Worker().drive(run_id) == "done"
    assert attempts == [(2, 0)]
    assert row(run_id)["generation"] == 0


def test_a_key_that_the_vendor_may_have_forgotten_goes_in_doubt() -> None:
    run_id = abandoned("keyed", began=-25 * 3600.0)
    assert Worker().drive(run_id) == "in_doubt"
    assert "may have forgotten the key" in cases_of(run_id)[0]["reason"]
    assert flows.called(run_id, "act") == 0


def test_a_key_is_trusted_up_to_the_hours_the_vendor_remembers_it() -> None:
    run_id = abandoned("keyed", began=-23.9 * 3600)
    assert Worker().drive(run_id) == "done"


def test_a_yes_of_the_probe_is_adopted_at_once_and_nothing_is_called() -> None:
    run_id = abandoned("probed")
    flows.on_probe(run_id, lambda ctx: {"booking": ctx.idempotency_key})
    assert Worker().drive(run_id) == "done"
    assert (flows.called(run_id, "act"), len(row(run_id)["completed"]["act"]["booking"])) == (0, 40)


def test_a_no_of_the_probe_counts_only_after_the_last_possible_send_the_timeout_and_the_settle_time() -> None:
    early = abandoned("probed", sent_until=-(FINAL_SECONDS - 3))
    assert Worker().drive(early) == "started"
    assert (row(early)["lease_owner"], flows.called(early, "act")) == (None, 0)
    assert 1 <= due_in(early) <= 3.5
    late = abandoned("probed", sent_until=-(FINAL_SECONDS + 1))
    assert Worker().drive(late) == "done"
    assert flows.called(late, "act") == 1


def test_asking_does_not_put_off_the_moment_from_which_a_no_counts() -> None:
    """The lease of whoever only asks is none under which the call may be sent."""
    run_id = abandoned("probed", sent_until=-2.0)
    until = row(run_id)["lease_expires_at"]
    Worker().drive(run_id)
    ask("UPDATE run_state SET wake_at = clock_timestamp() WHERE run_id = %(r)s", r=run_id)
    Worker().drive(run_id)
    assert row(run_id)["may_send_until"] == until
    assert (flows.called(run_id, "act"), row(run_id)["status"]) == (0, "started")


def failing(ctx: Context) -> Any:
    raise ConnectionError("vendor down")


def test_a_vendor_that_cannot_be_asked_is_asked_later_and_at_last_goes_in_doubt() -> None:
    early, late = abandoned("probed", sent_until=-9.0), abandoned("probed", sent_until=-12.0)
    for run_id in (early, late):
        flows.on_probe(run_id, failing)
    assert (Worker().drive(early), Worker().drive(late)) == ("started", "in_doubt")
    assert "cannot be asked: ConnectionError" in cases_of(late)[0]["reason"]


def test_an_emergency_hold_that_comes_between_the_answer_and_the_call_gives_the_lease_back() -> None:
    run_id = abandoned("probed", sent_until=-(FINAL_SECONDS + 1))
    holds: list[int] = []
    flows.on_probe(run_id, lambda ctx: holds.append(actions.emergency_hold(ADA, vendor="Testbank")))
    try:
        assert Worker().drive(run_id) == "started"
    finally:
        actions.lift_emergency_hold(ADA, holds[0])
    assert (row(run_id)["lease_owner"], flows.called(run_id, "act")) == (None, 0)


@pytest.mark.parametrize(("mark", "why"), [("keyed", "declares no key"), ("probed", "declares no probe")])
def test_the_mark_is_judged_and_not_the_newest_declaration(mark: str, why: str) -> None:
    """Two builds may declare a step differently: this one was sent with a guard that today's does not have."""
    run_id = abandoned("repeat_ok", guard=mark)
    assert Worker().drive(run_id) == "in_doubt"
    assert why in cases_of(run_id)[0]["reason"]


def test_a_call_marked_unprotected_is_never_claimed_whatever_is_declared_today() -> None:
    run_id = abandoned("repeat_ok", guard="unprotected")
    assert Worker().drive(run_id) == "started"
    assert flows.called(run_id, "act") == 0


def test_c11_no_clock_of_a_worker_decides_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wall clock of the process steps by hours; leases, waits and settling follow the database's."""
    import time

    for step in (300.0, -300.0, 3600.0):
        run_id = abandoned("probed", sent_until=-2.0)
        with monkeypatch.context() as wrong:
            real = time.time
            wrong.setattr(time, "time", lambda real=real, step=step: real() + step)
            worker = Worker()
            assert worker.drive(run_id) == "started"
        assert 1 <= due_in(run_id) <= 7
        good = seed("pure", lease=20.0)
        assert Worker().drive(good) == "started"
        assert row(good)["lease_owner"] == W1.owner


def test_c11_a_lease_is_reckoned_from_the_databases_time() -> None:
    run_id, seen = seed("pure", status="pending", owner=None), []
    flows.on(run_id, "act", lambda ctx: seen.append(row(run_id)))
    Worker(ttl=12.0).drive(run_id)
    now = ask("SELECT clock_timestamp() AS now")[0]["now"]
    assert timedelta(seconds=9) < seen[0]["lease_expires_at"] - now < timedelta(seconds=12)
