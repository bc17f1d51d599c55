"""What people do to runs. Each verb is one compare-and-set statement on Django's connection, which shares its
transaction with the audit's row; a run that has moved since it was shown is left alone.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.conf import settings

from runs import db
from runs.acting import audit
from runs.acting.shown import Actor, Busy, NotDone, Shown
from runs.errors import LeaseboardError, Unstorable
from runs.results import stored
from runs.run import mark
from runs.states import Status

__all__ = ["Actor", "Busy", "NotDone", "Shown", "SignalRefused"]

SIGNALS_BYTES_MAX = 64 * 1024


class SignalRefused(LeaseboardError, ValueError):
    """This signal cannot be sent."""


def take_over(shown: Shown, actor: Actor, *, even_held: bool = True) -> db.Row:
    """Take the run from its owner and give it to nobody: epoch, owner_before, case_id. Not from a good lease
    unless even_held. Raises NotDone."""
    return _act("take_over", "taken_over", shown, actor, {"actor": actor.name, "even_held": even_held})


def hold(shown: Shown, actor: Actor) -> db.Row:
    """Hold the run before its next step; on a good lease a mark asks for it. Raises NotDone."""
    return _act("hold", "held", shown, actor, _signed(actor))


def lift(shown: Shown, actor: Actor) -> db.Row:
    """Withdraw a hold, marked or in force. Raises NotDone."""
    return _act("lift", "lifted", shown, actor)


def cancel(shown: Shown, actor: Actor) -> db.Row:
    """End the run at its next boundary, or now if nobody moves it. Raises NotDone."""
    return _act("cancel", "cancelled", shown, actor, _signed(actor))


def flag(shown: Shown, actor: Actor) -> db.Row:
    """Open a case on the step shown and hold the run: case_id, status. Raises NotDone."""
    return _act("flag", "flagged", shown, actor, _signed(actor))


def retry_failed(shown: Shown, actor: Actor) -> db.Row:
    """Another round of attempts at the step where it failed or is blocked. Raises NotDone."""
    return _act("retry_failed", "retried", shown, actor)


def mark_seen(shown: Shown, actor: Actor) -> db.Row:
    """Take a failure off the list of what needs attention, until the run fails again: run_id, epoch.
    Raises NotDone, also where somebody has marked this failure before."""
    return _act("mark_seen", "seen", shown, actor, _signed(actor) | {"build": settings.LEASEBOARD_BUILD})


def rewind(shown: Shown, actor: Actor, step: str, dropped: list[str]) -> db.Row:
    """Put the run back to a step; dropped are the first names of that step and those after it.
    What they bought will be bought again. Raises NotDone."""
    onward = json.dumps(mark(step, Status.PENDING, 0))
    return _act("rewind", "rewound", shown, actor, {"onward": onward, "dropped": dropped}, told=step)


def nudge(shown: Shown, actor: Actor) -> db.Row:
    """Make the run due now. The caller dispatches it. Raises NotDone, also where somebody nudged it since."""
    return _act("nudge", "nudged", shown, actor, {"seen_at": shown.at})


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
    params = {
        "run_id": run_id, "step": step, "generation": generation, "signal": body.text, "size_cap": SIGNALS_BYTES_MAX,
        "by": _by("signalled", actor, told=name),
    }  # fmt: skip
    found = audit.on_run("signal", Shown(run_id, 0, {"step": step}), actor, params, told=name)
    if not found:
        raise audit.not_done(run_id)
    return bool(found[0]["fresh"])


def emergency_hold(actor: Actor, *, workflow: str = "", step: str = "", vendor: str = "") -> int:
    """Stop a step, a vendor or a workflow everywhere. Returns the hold's id."""
    where = {"workflow": workflow, "step": step, "vendor": vendor}
    found = audit.at_large("emergency_hold", actor, where | _signed(actor), told=_named(where))
    return int(found[0]["id"])


def lift_emergency_hold(actor: Actor, hold_id: int | None = None) -> int:
    """Lift one hold, or all of them. Returns how many were lifted."""
    told = "all" if hold_id is None else f"hold {hold_id}"
    return len(
        audit.at_large("lift_emergency_hold", actor, {"hold_id": hold_id, "actor": actor.name}, told=told)
    )


def mark_drain(actor: Actor, *, build: str = "", node: str = "", owners: list[str] | None = None) -> db.Row:
    """Bind the processes alive now: the drain's id and how many it binds."""
    params = {"build": build, "node": node, "owners": owners or []} | _signed(actor)
    return audit.at_large("mark_drain", actor, params, told=_named({"build": build, "node": node}))[0]


def end_drain(actor: Actor, drain_id: int) -> bool:
    """End a drain: those of its processes that had no SIGTERM claim again. False if it had ended."""
    params = {"drain_id": drain_id, "actor": actor.name}
    return bool(audit.at_large("end_drain", actor, params, told=f"drain {drain_id}"))


def _act(
    name: str, verb: str, shown: Shown, actor: Actor, more: db.Row | None = None, told: str = ""
) -> db.Row:
    params = {"run_id": shown.run_id, "epoch": shown.epoch, "expected": json.dumps(shown.cursor)}
    found = audit.on_run(name, shown, actor, params | (more or {}) | {"by": _by(verb, actor)}, told)
    if not found:
        raise audit.not_done(shown.run_id)
    return found[0]


def _signed(actor: Actor) -> db.Row:
    return {"actor": actor.name, "reason": actor.reason}


def _named(where: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in where.items() if value)


def _by(verb: str, actor: Actor, told: str = "") -> str:
    return db.by(verb, settings.LEASEBOARD_BUILD, actor.name, actor.reason, told)
