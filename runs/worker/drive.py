"""Drive one run: claim it, and advance it step by step until it is done, waiting, lost or drained."""

from __future__ import annotations

import logging
from contextlib import suppress

from runs import crashpoints, db, engine
from runs.context import Context
from runs.declare import Step
from runs.errors import LeaseLost, Stopped
from runs.run import boottime
from runs.states import Guard, Status
from runs.worker import outcome
from runs.worker.driver import Drained, Driver, start_mark
from runs.worker.process import Process
from runs.worker.settle import Adopt, AskLater, Doubt, settle
from runs.workflow import declared

log = logging.getLogger("leaseboard.drive")


def drive(process: Process, run_id: str) -> bool:
    """Drive a run as far as this process can take it. True where it should be offered to others at
    once: it was given back at a boundary, or only another build knows its step."""
    with process.enter(run_id) as entered:
        if entered is None:
            return process.gate_shut.is_set() and not process.is_driving(run_id)
        try:
            with process.claiming:
                sent_at = boottime()
                run = engine.claim(run_id, process.writer, process.vendors)
        except Stopped:
            return False
        if run is None:
            return _known_elsewhere(process, run_id)
        process.claimed(entered, run, sent_at)
        crashpoints.reached("after_claim")
        driver = Driver(process, entered, run, declared()[run.workflow])
        try:
            return _advance(driver)
        except LeaseLost as loss:
            log.info("%s", loss)
        except Stopped:
            return _given_back(driver)
        except Drained:
            return driver.draining()
    return False


def _known_elsewhere(process: Process, run_id: str) -> bool:
    """After a claim that found nothing: does the run stand at a step that only another live build knows?"""
    asked = {"run_id": run_id, "owner": process.writer.owner, "vendors": process.vendors}
    return db.one("elsewhere", **asked) is not None


def _given_back(driver: Driver) -> bool:
    """A run stopped at a boundary: what an emergency hold left in our hands, pending or with a call of an
    earlier owner still open, goes back as it is. A drain has given it back already."""
    if driver.run.status in (Status.PENDING, Status.STARTED) and not driver.draining():
        with suppress(LeaseLost, Stopped):
            engine.release(driver.run, driver.writer, driver.run.cursor)
        return False
    return driver.draining()


def _advance(driver: Driver) -> bool:
    """From step to step. Returns as drive does."""
    fresh = False
    while True:
        run = driver.run
        step = driver.flow.find(run.step)
        if step is None:
            engine.release(run, driver.writer, run.cursor)
            return False
        ctx = Context(run, step, driver)
        if not fresh and not _begin(driver, step, ctx):
            return run.status == Status.PENDING and driver.draining()
        if run.step != step.first_name:
            fresh = run.status == Status.STARTED
            if run.status in (Status.DONE, Status.PENDING):
                return run.status == Status.PENDING and driver.draining()
            continue
        if not outcome.attempt(driver, step, ctx):
            return run.status == Status.PENDING and driver.draining()
        fresh = True


def _begin(driver: Driver, step: Step, ctx: Context) -> bool:
    """Bring the claimed run to a start mark of our own. False where it went elsewhere."""
    run = driver.run
    if run.status == Status.STARTED and run.cursor.get("guard") != Guard.PURE:
        verdict = settle(run, step, ctx)
        if isinstance(verdict, Adopt):
            return outcome.adopt(driver, step, ctx, verdict.result)
        if isinstance(verdict, AskLater):
            # The guard reads from this mark that we asked and sent nothing.
            asked = {**run.cursor, "unknown": True, "asked": run.epoch}
            engine.retry_later(run, driver.writer, asked, verdict.seconds)
            return False
        if isinstance(verdict, Doubt):
            engine.doubt(run, driver.writer, verdict.reason)
            return False
    if driver.draining():
        engine.release(run, driver.writer, run.cursor)
        return False
    try:
        onward = start_mark(run, step, ctx)
    except Exception as error:
        outcome.park(
            driver, step, Status.BLOCKED, f"The amount of {step.title!r} cannot be reckoned: {error}", error
        )
        return False
    sent_at = boottime()
    engine.begin(run, driver.writer, onward, step.vendor_name)
    driver.renewed(sent_at)
    return True
