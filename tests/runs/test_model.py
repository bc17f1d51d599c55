"""The record against a model: workers, a sweep and people in any order hypothesis can think of, on real PostgreSQL.

The seeds are kept: one that ever failed stays in the list. One more is drawn afresh each time and named.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from runs import actions, engine
from runs.actions import NotDone, Shown
from runs.checking import Checked, violations
from runs.errors import LeaseLost, Stopped
from runs.fence import Writer
from runs.results import stored
from runs.run import Run, mark
from runs.states import Status
from tests.support import factories
from tests.support.factories import ADA, lapse, new_id, new_worker, row, shown, vendors
from tests.support.model import Row

KEPT_SEEDS = [5, 1, 20260904, 77, 4242]
WORKERS = st.integers(0, 2)


def outcome(write: Callable[[], Any]) -> str:
    try:
        write()
    except LeaseLost:
        return "lost"
    except Stopped:
        return "stopped"
    return "ok"


class OneRun(RuleBasedStateMachine):
    """Three workers that remember what they last held, and a person who may look at an old page."""

    @initialize(guard=st.sampled_from(["pure", "keyed", "unprotected"]), begun=st.booleans())
    def start(self, guard: str, begun: bool) -> None:
        self.told: list[str] = [
            *getattr(self, "told", []),
            *([self.run_id] if hasattr(self, "run_id") else []),
        ]
        self.model = Row(guard)
        self.run_id = factories.seed(
            guard, status="pending", attempt=0, epoch=0, owner=None, completed={}, run_id=new_id("model")
        )
        self.workers: list[Writer] = [new_worker() for _ in range(3)]
        self.views: dict[int, Run] = {}
        self.page: Shown = shown(self.run_id)
        if begun:
            self.claim(0)
            self.begin(0)

    def teardown(self) -> None:
        if hasattr(self, "run_id"):
            for run_id in [*self.told, self.run_id]:
                assert list(violations(Checked(), run_id)) == []

    @precondition(lambda self: self.model.status in ("done", "cancelled", "blocked", "in_doubt"))
    @rule(guard=st.sampled_from(["pure", "keyed", "unprotected"]), begun=st.booleans())
    def next_run(self, guard: str, begun: bool) -> None:
        """What has ended is left alone by everybody (other rules see to that), so another run comes to the table."""
        self.start(guard, begun)

    @rule(n=WORKERS)
    def claim(self, n: int) -> None:
        expected = self.model.claim(self.workers[n].owner)
        got: list[Run | None] = []
        said = outcome(lambda: got.append(engine.claim(self.run_id, self.workers[n], vendors())))
        assert ("nothing" if got == [None] else said) == expected
        if expected == "ok" and got[0]:
            self.views[n] = got[0]

    @precondition(lambda self: self.views)
    @rule(n=WORKERS)
    def begin(self, n: int) -> None:
        n = self._holder(n)
        self._write(
            n,
            self.model.begin,
            lambda run, by: engine.begin(run, by, self._started(run), ""),
            {"pending", "started"},
        )

    @precondition(lambda self: self.views)
    @rule(n=WORKERS)
    def commit(self, n: int) -> None:
        n = self._holder(n)
        self._write(n, self.model.commit, self._commit)

    @precondition(lambda self: self.views)
    @rule(n=WORKERS, later=st.booleans())
    def give_back(self, n: int, later: bool) -> None:
        n = self._holder(n)

        def leave(run: Run, by: Writer) -> None:
            onward = {"step": run.step, "status": "pending", "attempt": run.attempt, "item": None}
            if later:
                engine.retry_later(run, by, onward, 0.0)
            else:
                engine.release(run, by, onward)

        self._write(n, self.model.give_back, leave)
        self.views.pop(n, None)

    @precondition(lambda self: self.views)
    @rule(n=WORKERS)
    def doubt(self, n: int) -> None:
        n = self._holder(n)
        if self.views[n].status != "started":
            return
        self._write(
            n,
            lambda: self.model.hold_in_doubt(self.views[n].cursor, self.model.epoch) or "ok",
            lambda run, by: engine.doubt(run, by, "Unknown."),
        )
        self.views.pop(n, None)

    @precondition(lambda self: self.views and self.model.status == "in_doubt")
    @rule(n=WORKERS)
    def comes_back(self, n: int) -> None:
        self.land_late(n)

    @precondition(lambda self: self.views)
    @rule(n=WORKERS)
    def land_late(self, n: int) -> None:
        n = self._holder(n)
        run, case = self.views[n], self.model.case
        fits = case is not None and (case.owner, case.epoch, case.cursor) == (
            run.owner,
            run.epoch,
            run.cursor,
        )
        fits = (
            fits
            and self.model.status == "in_doubt"
            and case is not None
            and self.model.epoch == case.held_epoch
        )
        assert (
            engine.land_late(run, self.workers[n], stored({"late": True}), mark("tidy", Status.PENDING, 0))
            == fits
        )
        if fits:
            self.model.land()

    @precondition(lambda self: self.views)
    @rule(n=WORKERS)
    def heartbeat(self, n: int) -> None:
        n = self._holder(n)
        run = self.views[n]
        found = engine.db.rows(
            "heartbeat", run_ids=[self.run_id], epochs=[run.epoch], owner=run.owner, ttl=30.0
        )
        assert bool(found) == self.model.is_held_by(run.owner, run.epoch)
        if found:
            self.model.lapsed = False

    @precondition(lambda self: self.model.owner)
    @rule()
    def time_passes(self) -> None:
        lapse(self.run_id)
        self.model.lapsed = True

    @precondition(lambda self: self.model.is_call)
    @rule(back=st.integers(0, 1))
    def sweep(self, back: int) -> None:
        epoch = self.model.epoch - back
        held = self.model.is_unprotected and self.model.nobody_holds and back == 0
        cursor = row(self.run_id)["cursor"]
        assert (engine.hold_lapsed(self.run_id, epoch) is not None) == held
        if held:
            self.model.hold_in_doubt(cursor, self.model.epoch)

    @rule()
    def look(self) -> None:
        self.page = shown(self.run_id)

    @precondition(lambda self: self.model.status == "held" or self.model.marks)
    @rule()
    def lift_what_stands(self) -> None:
        self.look()
        self.person("lift")

    @rule(verb=st.sampled_from(["take_over", "hold", "hold", "cancel", "lift"]))
    def person(self, verb: str) -> None:
        current = shown(self.run_id)
        same = (self.page.epoch, self.page.cursor) == (current.epoch, current.cursor)
        before = copy.deepcopy(self.model)
        if verb in ("hold", "cancel"):
            expected = self.model.mark(verb, self.page.epoch, self.page.cursor == current.cursor)
        elif not same:
            expected = False
        else:
            expected = self.model.take_over(current.cursor) if verb == "take_over" else self.model.lift()
        try:
            getattr(actions, verb)(self.page, ADA)
        except NotDone:
            assert not expected, (verb, before)
        else:
            assert expected, (verb, before)

    @invariant()
    def stands_as_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        now, model = row(self.run_id), self.model
        assert (now["status"], now["step"], now["cursor"]["attempt"], now["epoch"], now["lease_owner"]) == (
            model.status,
            model.step,
            model.attempt,
            model.epoch,
            model.owner,
        )
        assert (set(now["completed"]), set(now["signals"].get("marks", {})), now["lapses"]) == (
            model.completed,
            model.marks,
            model.lapses,
        )

    def _write(
        self, n: int, step: Callable[[], str], write: Callable[[Run, Writer], Any], at: set[str] | None = None
    ) -> None:
        """An owner's write: what it must say follows from the fence, and what it does from the model."""
        if n not in self.views:
            return
        run, cursor = self.views[n], row(self.run_id)["cursor"]
        holds = (
            self.model.is_held_by(run.owner, run.epoch)
            and run.cursor == cursor
            and (at is None or self.model.status in at)
        )
        expected = step() if holds else "lost"
        assert outcome(lambda: write(run, self.workers[n])) == expected
        if expected != "ok" and not (expected == "lost" and self.model.case):
            # A worker that was stopped or lost its run goes away; one whose call is in doubt may come back with its result.
            self.views.pop(n, None)

    def _holder(self, n: int) -> int:
        """One of those who think that they hold the run."""
        return sorted(self.views)[n % len(self.views)]

    def _started(self, run: Run) -> dict[str, Any]:
        guard = self.model.guard if run.step == "act" else "pure"
        return mark(run.step, Status.STARTED, run.attempt + 1, guard=guard)

    def _commit(self, run: Run, by: Writer) -> None:
        if run.step == "act":
            engine.commit(run, by, stored({"by": by.owner}), mark("tidy", Status.STARTED, 1, guard="pure"))
        else:
            engine.commit(run, by, stored({}), mark("tidy", Status.DONE, run.attempt), keep=False)


@pytest.mark.parametrize(
    "number",
    [*KEPT_SEEDS, random.SystemRandom().randrange(10**9)],
    ids=["kept"] * len(KEPT_SEEDS) + ["fresh"],
)
def test_the_record_does_what_the_model_does(number: int) -> None:
    bounds = settings(
        max_examples=60,
        stateful_step_count=40,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        verbosity=Verbosity.normal,
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(seed(number)(OneRun), settings=bounds)
    except BaseException as error:
        error.add_note(f"Keep this seed: {number}")
        raise
