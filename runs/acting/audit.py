"""The book of what people did, what was refused to them and what was denied. Nothing in it is ever changed.

A deed and its row share one transaction on Django's connection, so that there is neither without the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from psycopg.errors import LockNotAvailable

from runs import db
from runs.acting.shown import Actor, Busy, NotDone, Shown

LOCK_MILLISECONDS = 1_500
# A page that keeps asking for what it may not have is written once in so many seconds.
DENIED_AGAIN_SECONDS = 60
_FACTS = ("step", "status", "epoch", "lease_owner", "marks")


@contextmanager
def _patient() -> Iterator[None]:
    with transaction.atomic():
        db.within("patience", milliseconds=LOCK_MILLISECONDS)
        yield


def on_run(name: str, shown: Shown, actor: Actor, params: db.Row, told: str = "") -> list[db.Row]:
    """Run a verb on the run that was shown, and write it down as done, or as refused where it matched no row.

    Returns the verb's rows. Raises Busy where the row stays locked by somebody else; that is written down too.
    """
    try:
        with _patient():
            found = db.within("locked", run_id=shown.run_id)
            stood = found[0] if found else None
            done = db.within(name, **params)
            stands = db.within("standing", run_id=shown.run_id) if done else found
            # A signal that was told before matches its row and changes nothing.
            fresh = bool(done) and done[0].get("fresh", True)
            before = facts(stood) if done else {"epoch": shown.epoch, **_where(shown)}
            _write(
                name, actor, "done" if fresh else "refused", told=told, run_id=shown.run_id, before=before,
                order_ref=stood["order_ref"] if stood else "", after=facts(stands[0]) if stands else None,
            )  # fmt: skip
            return done
    except LockNotAvailable:
        _write(name, actor, "refused", told="its row was locked by another session", run_id=shown.run_id)
        raise Busy(
            f"Not done, nothing was changed. Another session holds the row of run {shown.run_id} and did not let go. "
            "Try again in a moment.",
            now=None,
        ) from None


def at_large(name: str, actor: Actor, params: db.Row, told: str) -> list[db.Row]:
    """Run a verb that names no single run, and write it down; one that matched no row as refused."""
    with transaction.atomic():
        done = db.within(name, **params)
        _write(name, actor, "done" if done else "refused", told=told)
        return done


def looked(deed: str, actor: Actor, *, run_id: str, order_ref: str, told: str) -> None:
    """Write down that somebody opened what is hidden. The caller reads it in the same transaction: it is not read
    without this row, nor this row kept without its being read."""
    _write(deed, actor, "done", run_id=run_id, order_ref=order_ref, told=told[:400])


def denied(deed: str, actor: Actor, *, run_id: str = "", told: str = "", again: bool = False) -> None:
    """Write down that somebody tried what their roles do not allow. again: it may repeat itself, and then one
    row a minute is enough."""
    _write(
        deed,
        actor,
        "denied",
        run_id=run_id[:200],
        told=told[:400],
        pause=DENIED_AGAIN_SECONDS if again else None,
    )


def facts(stands: db.Row | None) -> db.Row | None:
    """What the audit tells of where a run stood: no payload, and of marks only their names."""
    if stands is None:
        return None
    told = {name: stands[name] for name in _FACTS}
    return told | {"marks": sorted(told["marks"] or {})}


def not_done(run_id: str) -> NotDone:
    """The answer for a verb that matched no row, from where the run stands now."""
    found = db.within("standing", run_id=run_id)
    if not found:
        return NotDone(f"There is no run {run_id!r}.", now=None)
    now = found[0]
    return NotDone(
        f"Not done, nothing was changed. Run {run_id} stands at step {now['step']}, {now['status']}, epoch {now['epoch']}, "
        f"owner {now['lease_owner'] or 'nobody'}.",
        now=now,
    )


def _where(shown: Shown) -> db.Row:
    return {"step": str(shown.cursor.get("step", "")), "status": str(shown.cursor.get("status", ""))}


def _write(
    deed: str,
    actor: Actor,
    outcome: str,
    *,
    run_id: str = "",
    order_ref: str = "",
    before: db.Row | None = None,
    after: db.Row | None = None,
    told: str = "",
    pause: float | None = None,
) -> None:
    db.within(
        "audit", actor=actor.name, role=actor.role, via=actor.via, deed=deed, run_id=run_id.replace("\0", ""),
        order_ref=order_ref, outcome=outcome, before=json.dumps(before) if before else None,
        after=json.dumps(after) if after else None, reason=actor.reason, told=told.replace("\0", ""), pause=pause,
    )  # fmt: skip
