"""What a run under way asks of its worker, and the marks it leaves behind."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from runs import crashpoints, db, engine
from runs.context import Context
from runs.declare import Step
from runs.errors import LeaseLost, Stopped
from runs.results import Stored
from runs.run import Run, boottime, mark
from runs.states import Guard, Status
from runs.worker.process import Drive, Process
from runs.workflow import Workflow

log = logging.getLogger("leaseboard.drive")


class Drained(BaseException):
    """The run was given back at an item boundary, because this process drains."""


class Driver:
    """Everything that a run under way asks of its worker."""

    def __init__(self, process: Process, drive: Drive, run: Run, flow: Workflow) -> None:
        self.process, self.drive, self.run, self.flow = process, drive, run, flow
        self.writer = process.writer

    def lost(self) -> bool:
        return not self.process.may_send(self.drive)

    def draining(self) -> bool:
        return self.process.gate_shut.is_set()

    def seconds_left(self) -> float:
        return self.drive.renewed_at + self.writer.ttl - boottime()

    def before_send(self) -> None:
        """The deadline check stands last before a send."""
        if self.lost():
            self._never_sent()
            raise LeaseLost(run_id=self.run.run_id, step=self.run.step, epoch=self.run.epoch)
        step = self.flow.find(self.run.step)
        if step is not None and self.process.stopped(
            self.flow.name, step.first_name, step.vendor_name, self.drive.progress_at
        ):
            engine.release(self.run, self.writer, taken_back(self.run))
            raise Drained

    def _never_sent(self) -> None:
        """This process slept past its own deadline with nothing sent. It is the only one to know that, so it
        says so: else a call that never left would wait for a person."""
        try:
            engine.release(self.run, self.writer, taken_back(self.run))
        except Stopped:
            return
        except LeaseLost:
            step = self.flow.find(self.run.step)
            if step is None or step.guard is not Guard.UNPROTECTED:
                return
            if not engine.not_sent(self.run, self.writer, taken_back(self.run)):
                return
        self.drive.offered = True

    def item_results(self) -> dict[str, Any]:
        found = db.rows(
            "items_of",
            run_id=self.run.run_id,
            step=self.run.step,
            entered_generation=self.run.entered_generation,
        )
        return {row["item"]: row["result"] for row in found}

    def save_items(self, items: list[dict[str, Any]], onward: dict[str, Any]) -> None:
        """Record items; where this process drains, give the run back in the same statement."""
        step = self.flow.find(self.run.step)
        vendor = step.vendor_name if step else ""
        drains = self.draining()
        if drains:
            onward = {k: v for k, v in onward.items() if k not in ("guard", "amount")}
            onward |= {"status": Status.PENDING.value, "item": None}
        sent_at = boottime()
        crashpoints.reached("before_commit", self.run.step)
        engine.commit_items(self.run, self.writer, items, onward, vendor, keep=not drains)
        crashpoints.reached("after_commit", self.run.step)
        self.renewed(sent_at)
        if drains:
            raise Drained

    def renewed(self, sent_at: float) -> None:
        self.drive.renewed_at = self.drive.progress_at = sent_at


def start_mark(run: Run, step: Step, ctx: Context) -> dict[str, Any]:
    """The next attempt's mark: guard and amount as declared now, and whether an earlier attempt is unknown."""
    again = run.status == Status.STARTED
    woken = bool(run.cursor.get("woken"))
    amount = step.amount(ctx) if step.amount else None
    return mark(
        step.first_name, Status.STARTED, run.attempt + (0 if woken else 1), item=run.cursor.get("item") if again else None,
        guard=step.guard.value, amount=amount.as_json() if amount else None,
        unknown=True if step.is_effect and (again or run.cursor.get("unknown")) else None,
        items_done=run.cursor.get("items_done"), items_total=run.cursor.get("items_total"),
    )  # fmt: skip


def taken_back(run: Run) -> dict[str, Any]:
    """The cursor without a start mark whose body never began. Where an earlier attempt is unknown it stays
    started: its guard has to settle that first."""
    if run.cursor.get("unknown"):
        return run.cursor
    kept = {k: v for k, v in run.cursor.items() if k not in ("guard", "amount")}
    return {**kept, "status": Status.PENDING.value, "attempt": max(run.attempt - 1, 0), "item": None}


def next_mark(driver: Driver, step: Step, result: Stored) -> tuple[dict[str, Any], str, bool]:
    """Where the run goes after this step: the cursor to ask for, its vendor, and whether we keep the lease."""
    after = driver.flow.after(step)
    if after is None:
        return mark(step.first_name, Status.DONE, driver.run.attempt), "", False
    if driver.draining():
        return mark(after.first_name, Status.PENDING, 0), after.vendor_name, False
    try:
        amount = after.amount(_ahead(driver, step, result, after)) if after.amount else None
    except Exception:
        # This step's result must not be lost to the next one's arithmetic: that fails again when it begins.
        log.exception("the amount of step %s of run %s", after.name, driver.run.run_id)
        return mark(after.first_name, Status.PENDING, 0), after.vendor_name, False
    onward = mark(
        after.first_name,
        Status.STARTED,
        1,
        guard=after.guard.value,
        amount=amount.as_json() if amount else None,
    )
    return onward, after.vendor_name, True


def _ahead(driver: Driver, step: Step, result: Stored, after: Step) -> Context:
    """The run as its next step will see it, to reckon the amount before the commit that marks it."""
    completed = {**driver.run.completed, step.first_name: result.value}
    cursor = mark(after.first_name, Status.STARTED, 1)
    return Context(replace(driver.run, completed=completed, cursor=cursor), after, driver)
