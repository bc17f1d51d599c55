"""What people do to runs. Each verb is one compare-and-set statement on Django's connection, so that the
caller's audit row shares its transaction; a run that has moved since it was shown is left alone.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from runs import db
from runs.errors import LeaseboardError, Unstorable
from runs.results import stored
from runs.run import mark
from runs.states import Status

SIGNALS_BYTES_MAX = 64 * 1024


class NotDone(LeaseboardError):
    """Nothing was changed: the run is not where it was shown, or not in a state for this."""

    now: db.Row | None


class SignalRefused(LeaseboardError, ValueError):
    """This signal cannot be sent."""


@dataclass(frozen=True)
class Shown:
    """The run as the person saw it: what a verb compares before it changes anything."""

    run_id: str
    epoch: int
    cursor: dict[str, Any]


@dataclass(frozen=True)
class Actor:
    """Who does it, and why: both go into the log with the change."""

    name: str
    reason: str = ""


def take_over(shown: Shown, actor: Actor) -> db.Row:
    """Take the run from its owner and give it to nobody: epoch, owner_before, case_id. Raises NotDone."""
    return _act("take_over", "taken_over", shown, actor)


def hold(shown: Shown, actor: Actor) -> db.Row:
    """Hold the run before its next step; on a good lease a mark asks for it. Raises NotDone."""
    return _act("hold", "held", shown, actor)


def lift(shown: Shown, actor: Actor) -> db.Row:
    """Withdraw a hold, marked or in force. Raises NotDone."""
    return _act("lift", "lifted", shown, actor)


def cancel(shown: Shown, actor: Actor) -> db.Row:
    """End the run at its next boundary, or now if nobody moves it. Raises NotDone."""
    return _act("cancel", "cancelled", shown, actor)


def flag(shown: Shown, actor: Actor) -> db.Row:
    """Open a case on the step shown and hold the run: case_id, status. Raises NotDone."""
    return _act("flag", "flagged", shown, actor)


def retry_failed(shown: Shown, actor: Actor) -> db.Row:
    """Another round of attempts at the step where it failed or is blocked. Raises NotDone."""
    return _act("retry_failed", "retried", shown, actor)


def mark_seen(shown: Shown, actor: Actor) -> db.Row:
    """Take a failure off the list of what needs attention, until the run fails again: run_id, epoch.
    Raises NotDone, also where somebody has marked this failure before."""
    return _act("mark_seen", "seen", shown, actor, build=settings.LEASEBOARD_BUILD)


def rewind(shown: Shown, actor: Actor, step: str, dropped: list[str]) -> db.Row:
    """Put the run back to a step; dropped are the first names of that step and those after it.
    What they bought will be bought again. Raises NotDone."""
    onward = json.dumps(mark(step, Status.PENDING, 0))
    return _act("rewind", "rewound", shown, actor, onward=onward, dropped=dropped)


def nudge(run_id: str, actor: Actor) -> db.Row:
    """Make the run due now. The caller dispatches it. Raises NotDone."""
    found = db.within("nudge", run_id=run_id, by=_by("nudged", actor))
    return found[0] if found else _not_done(run_id)


def signal(
    run_id: str,
    step: str,
    generation: int,
    name: str,
    payload: Any,
    actor: Actor,
    *,
    signal_id: str | None = None,
) -> bool:
    """Answer what a step waits for. True if it was new, False if this id was told before.

    Raises NotDone where the run has moved past that step, SignalRefused where it would not fit.
    """
    try:
        body = stored(
            {"id": signal_id or uuid.uuid4().hex, "name": name, "payload": payload, "actor": actor.name}
        )
    except Unstorable as error:
        raise SignalRefused(f"The signal {name!r} cannot be stored: {error}") from error
    if len(body.text) > SIGNALS_BYTES_MAX:
        raise SignalRefused(
            f"The signal {name!r} has {len(body.text):,} bytes; a run takes {SIGNALS_BYTES_MAX:,} in all."
        )
    found = db.within(
        "signal", run_id=run_id, step=step, generation=generation, signal=body.text, size_cap=SIGNALS_BYTES_MAX,
        by=_by("signalled", actor, told=name),
    )  # fmt: skip
    return bool(found[0]["fresh"]) if found else bool(_not_done(run_id))


def emergency_hold(actor: Actor, *, workflow: str = "", step: str = "", vendor: str = "") -> int:
    """Stop a step, a vendor or a workflow everywhere. Returns the hold's id."""
    found = db.within(
        "emergency_hold", workflow=workflow, step=step, vendor=vendor, actor=actor.name, reason=actor.reason
    )
    return int(found[0]["id"])


def lift_emergency_hold(actor: Actor, hold_id: int | None = None) -> int:
    """Lift one hold, or all of them. Returns how many were lifted."""
    return len(db.within("lift_emergency_hold", hold_id=hold_id, actor=actor.name))


def mark_drain(actor: Actor, *, build: str = "", node: str = "", owners: list[str] | None = None) -> db.Row:
    """Bind the processes alive now: the drain's id and how many it binds."""
    return db.within(
        "mark_drain", build=build, node=node, owners=owners or [], actor=actor.name, reason=actor.reason
    )[0]


def end_drain(actor: Actor, drain_id: int) -> bool:
    """End a drain: those of its processes that had no SIGTERM claim again. False if it had ended."""
    return bool(db.within("end_drain", drain_id=drain_id, actor=actor.name))


def _act(name: str, verb: str, shown: Shown, actor: Actor, **more: Any) -> db.Row:
    params = {"run_id": shown.run_id, "epoch": shown.epoch, "expected": json.dumps(shown.cursor)}
    if name in ("take_over", "hold", "cancel", "flag", "mark_seen"):
        params["actor"] = actor.name
    if name in ("hold", "cancel", "flag", "mark_seen"):
        params["reason"] = actor.reason
    found = db.within(name, **params, by=_by(verb, actor), **more)
    return found[0] if found else _not_done(shown.run_id)


def _not_done(run_id: str) -> db.Row:
    found = db.within("standing", run_id=run_id)
    if not found:
        raise NotDone(f"There is no run {run_id!r}.", now=None)
    now = found[0]
    raise NotDone(
        f"Not done, nothing was changed. Run {run_id} stands at step {now['step']}, {now['status']}, epoch {now['epoch']}, "
        f"owner {now['lease_owner'] or 'nobody'}.",
        now=now,
    )


def _by(verb: str, actor: Actor, told: str = "") -> str:
    return db.by(verb, settings.LEASEBOARD_BUILD, actor.name, actor.reason, told)
