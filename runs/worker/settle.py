"""What a claim does when it finds an effect begun by another: its guard settles it, nobody guesses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from runs.states import Guard

if TYPE_CHECKING:
    from runs.context import Context
    from runs.declare import Step
    from runs.run import Run


@dataclass(frozen=True)
class Again:
    """Call again: attempt + 1, the same key."""


@dataclass(frozen=True)
class Adopt:
    """The vendor has done it: take its answer as the result."""

    result: Any


@dataclass(frozen=True)
class AskLater:
    """Too early for a *no*, or no answer: leave it started and ask again after so many seconds."""

    seconds: float


@dataclass(frozen=True)
class Doubt:
    """Nothing can settle it any more: a person decides."""

    reason: str


Verdict = Again | Adopt | AskLater | Doubt


def settle(run: Run, step: Step, ctx: Context) -> Verdict:
    """Judge a started row by the guard written in its start mark, not by the newest declaration."""
    guard = run.cursor.get("guard")
    if guard == Guard.KEYED:
        return _by_key(run, step)
    if guard == Guard.PROBED:
        return _by_probe(run, step, ctx)
    return Again()


def _by_key(run: Run, step: Step) -> Verdict:
    if step.key_memory is None:
        return Doubt("This build declares no key for a call that was sent with one.")
    began = run.first_started_at or run.now()
    if run.now() - began >= timedelta(seconds=step.key_memory.seconds):
        return Doubt(
            f"{step.vendor_name} may have forgotten the key: the first attempt is over {step.key_memory.hours:g} h old."
        )
    return Again()


def _by_probe(run: Run, step: Step, ctx: Context) -> Verdict:
    if step.probe is None:
        return Doubt("This build declares no probe for a call that was sent with one.")
    final_at = no_is_final_at(run, step)
    try:
        found = step.probe(ctx)
    except Exception as error:
        if run.now() > final_at + timedelta(seconds=step.settle):
            return Doubt(f"{step.vendor_name} cannot be asked: {type(error).__name__}.")
        return AskLater(_wait(run, final_at))
    if found is not None:
        return Adopt(found)
    return Again() if run.now() >= final_at else AskLater(_wait(run, final_at))


def no_is_final_at(run: Run, step: Step) -> Any:
    """From when on a vendor's *no* can no longer change: an owner may send until its lease ends, a request
    may sit in a stalled network for the timeout, and the vendor may take the settle time to know."""
    last_send = run.may_send_until or run.first_started_at or run.now()
    return last_send + timedelta(seconds=step.settles_after)


def _wait(run: Run, final_at: Any) -> float:
    return max(1.0, float((final_at - run.now()).total_seconds()))
