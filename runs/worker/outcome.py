"""One attempt's end: a result, a wait, a *no*, or not knowing. Each has one statement to leave by."""

from __future__ import annotations

import logging
import traceback
from typing import Any

import psycopg

from runs import crashpoints, engine
from runs.context import Context, Parked
from runs.declare import KeyInUse, NotSent, Refused, Step
from runs.errors import DatabaseLostWrites, DeclarationRefused, ItemsChanged, LeaseLost, Stopped, Unstorable
from runs.results import Stored, stored
from runs.run import boottime
from runs.states import Guard, Kind, Status
from runs.worker.driver import Driver, next_mark

log = logging.getLogger("leaseboard.drive")


def attempt(driver: Driver, step: Step, ctx: Context) -> bool:
    """Run the body once and leave by the statement that fits. True where the run stands on a fresh
    start mark of its next step, in our hands."""
    try:
        result = stored(_body(driver, step, ctx))
    except (Stopped, LeaseLost, DatabaseLostWrites):
        raise
    except Parked as parked:
        _wait(driver, parked)
        return False
    except Unstorable as error:
        _unstorable(driver, step, error)
        return False
    except (ItemsChanged, DeclarationRefused) as error:
        _give_up(driver, step, Status.BLOCKED, str(error), error)
        return False
    except NotSent as error:
        _not_sent(driver, step, error)
        return False
    except Refused as error:
        _refused(driver, step, error)
        return False
    except Exception as error:
        _unknown(driver, step, error)
        return False
    return commit(driver, step, ctx, result)


def adopt(driver: Driver, step: Step, ctx: Context, result: Any) -> bool:
    """A probe found the effect done: commit the vendor's answer as the step's result."""
    try:
        return commit(driver, step, ctx, stored(result))
    except Unstorable as error:
        _unstorable(driver, step, error)
        return False


def commit(driver: Driver, step: Step, ctx: Context, result: Stored) -> bool:
    """Record a result. A worker that lost the run reports what it did; its call may still land late."""
    onward, vendor, keep = next_mark(driver, step, result)
    crashpoints.reached("before_commit", step.first_name)
    sent_at = boottime()
    try:
        engine.commit(
            driver.run, driver.writer, result, onward, vendor=vendor, keep=keep, consumed=ctx.consumed
        )
    except LeaseLost as loss:
        _land_or_report(driver, step, ctx, result, loss)
        raise
    except psycopg.DataError as error:
        # Valid JSON that jsonb refuses nevertheless: the same as a result without a JSON form.
        _unstorable(
            driver, step, Unstorable(f"This result cannot be stored: {error}.", raw=result.raw or result.text)
        )
        return False
    crashpoints.reached("after_commit", step.first_name)
    driver.renewed(sent_at)
    return bool(onward["status"] == Status.STARTED)


def _body(driver: Driver, step: Step, ctx: Context) -> Any:
    """The body, with its call noted while it runs. No connection is held and no transaction open."""
    drive = driver.drive
    crashpoints.reached("before_effect", step.first_name)
    if step.is_effect:
        driver.before_send()
    drive.inside_since = boottime()
    drive.inside_limit = step.timeout + driver.writer.ttl if step.is_effect else step.stall_after
    drive.inside = {
        "run": driver.run.run_id, "step": step.first_name, "vendor": step.vendor_name, "guard": step.guard.value,
        "amount": driver.run.cursor.get("amount"),
    }  # fmt: skip
    try:
        return step.body(ctx)
    finally:
        drive.inside = None
        crashpoints.reached("after_effect", step.first_name)


def _land_or_report(driver: Driver, step: Step, ctx: Context, result: Stored, loss: LeaseLost) -> None:
    run, writer = driver.run, driver.writer
    onward, _, _ = next_mark(driver, step, result)
    if onward["status"] == Status.STARTED:
        onward = {"step": onward["step"], "status": Status.PENDING.value, "attempt": 0, "item": None}
    if step.guard is Guard.UNPROTECTED and engine.land_late(run, writer, result, onward, ctx.consumed):
        driver.drive.offered = True
        return
    log.info("%s", loss)
    why = (
        f"Its answer came after the run had changed hands; the result of {step.first_name} is kept beside it."
    )
    engine.report(Kind.COMMIT_REFUSED, run, writer, why, onward=onward, result=result.text)


def _wait(driver: Driver, parked: Parked) -> None:
    onward = driver.run.onward(Status.WAITING, woken=True)
    onward |= {k: v for k, v in (("signal", parked.signal), ("may", parked.may)) if v is not None}
    engine.wait(driver.run, driver.writer, onward, parked.seconds, parked.signal)


def _not_sent(driver: Driver, step: Step, error: NotSent) -> None:
    """Only this attempt is settled: what an earlier one of the same generation did may be unknown still."""
    run, writer = driver.run, driver.writer
    try:
        if run.cursor.get("unknown") and step.is_effect:
            _ask_again(driver, step, error)
        elif run.attempt >= step.retry.attempts:
            _give_up(driver, step, Status.FAILED, _sentence(step, run.attempt, error), error)
        else:
            _retry(driver, step, _pending(driver), error)
    except LeaseLost:
        if step.guard is Guard.UNPROTECTED and engine.not_sent(run, writer, _pending(driver)):
            driver.drive.offered = True
        raise


def _refused(driver: Driver, step: Step, error: Refused) -> None:
    """A judged *no* means a new doing, unless an earlier attempt of this one is unknown and the vendor
    answers by no key: then the *no* may be about the repetition only."""
    run = driver.run
    settled = not run.cursor.get("unknown") or step.guard is Guard.KEYED
    if not settled and step.guard is not Guard.REPEAT_OK:
        _ask_again(driver, step, error)
    elif run.attempt >= step.retry.attempts:
        _give_up(driver, step, Status.FAILED, _sentence(step, run.attempt, error), error)
    else:
        _retry(driver, step, _pending(driver), error, raise_generation=settled)


def _unknown(driver: Driver, step: Step, error: Exception) -> None:
    """Any other exception, a time-out above all: the effect may have happened."""
    run = driver.run
    if step.guard is Guard.UNPROTECTED:
        _doubt(driver, f"{step.vendor_name} gave no answer that settles it: {_named(error)}.", error)
    elif step.is_effect:
        _ask_again(driver, step, error)
    elif run.attempt >= step.retry.attempts:
        _give_up(driver, step, Status.FAILED, _sentence(step, run.attempt, error), error)
    else:
        _retry(driver, step, _pending(driver), error)


def _ask_again(driver: Driver, step: Step, error: Exception) -> None:
    """Leave the effect started, lease off: the next claim settles it by its guard. Attempts end in doubt,
    or, where the owner would rather repeat than wait, in failed."""
    run = driver.run
    if step.guard is Guard.UNPROTECTED:
        _doubt(driver, f"An earlier attempt is unknown, and this one ended with {_named(error)}.", error)
    elif run.attempt >= step.retry.attempts and not isinstance(error, KeyInUse):
        if step.guard is Guard.REPEAT_OK:
            _give_up(driver, step, Status.FAILED, _sentence(step, run.attempt, error), error)
        else:
            _doubt(
                driver,
                f"{step.vendor_name} gave no answer in {run.attempt} attempts; the last: {_named(error)}.",
                error,
            )
    else:
        _retry(driver, step, {**run.cursor, "unknown": True}, error)


def _retry(
    driver: Driver, step: Step, onward: dict[str, Any], error: Exception, raise_generation: bool = False
) -> None:
    """Leave until the next attempt is due; its reason goes into the log, the traceback beside it."""
    run = driver.run
    engine.retry_later(
        run,
        driver.writer,
        onward,
        step.retry.wait_seconds(run.attempt),
        reason=_sentence(step, run.attempt, error),
        error=_trace(error),
        raise_generation=raise_generation,
    )


def _unstorable(driver: Driver, step: Step, error: Unstorable) -> None:
    """A paid result is not thrown away by a serializer: it goes in doubt as known to have happened."""
    if step.is_effect:
        _doubt(driver, f"It happened, and its result could not be saved: {error}", error, raw=error.raw)
    else:
        _give_up(driver, step, Status.BLOCKED, f"Its result could not be saved: {error}", error)


def _doubt(driver: Driver, reason: str, error: Exception, raw: str | None = None) -> None:
    engine.doubt(driver.run, driver.writer, reason, error=_trace(error), raw=raw)


def _give_up(driver: Driver, step: Step, status: Status, reason: str, error: Exception) -> None:
    """An effect that is left while it may have happened opens a case, whatever the verb."""
    if step.is_effect and step.guard is not Guard.REPEAT_OK and not isinstance(error, NotSent | Refused):
        _doubt(driver, reason, error)
        return
    park(driver, step, status, reason, error)


def park(driver: Driver, step: Step, status: Status, reason: str, error: Exception) -> None:
    """Leave in failed or blocked, nothing being under way."""
    engine.park(driver.run, driver.writer, status, reason, _trace(error))


def _pending(driver: Driver) -> dict[str, Any]:
    kept = {k: v for k, v in driver.run.cursor.items() if k not in ("guard", "amount", "woken")}
    return {**kept, "status": Status.PENDING.value, "item": None}


def _sentence(step: Step, tries: int, error: Exception) -> str:
    who = f"{step.vendor_name} " if step.vendor_name else ""
    said = str(error).strip().partition("\n")[0] or type(error).__name__
    what = {NotSent: "could not be reached", Refused: "refused"}.get(type(error), "failed")
    return f"{step.title}: {who}{what} after {tries} {'try' if tries == 1 else 'tries'}. {said}"[:1000]


def _named(error: Exception) -> str:
    # It stands inside a sentence, whose full stop follows.
    said = str(error).strip().partition("\n")[0].rstrip(".")
    return f"{type(error).__name__}: {said}"[:500] if said else type(error).__name__


def _trace(error: Exception) -> str:
    return "".join(traceback.format_exception(error))[-20_000:]
