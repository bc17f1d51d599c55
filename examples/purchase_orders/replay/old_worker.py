"""The old code: a message stays in the queue until its run is finished, and every message begins at step one.

Nothing is written down but notes for this replay, which no worker ever reads.
"""

from __future__ import annotations

import functools
import logging
import os
import time
from pathlib import Path
from typing import Any

from celery import Celery
from celery.apps import worker as _worker  # noqa: F401 - loaded before the fork, so that it is shared
from celery.concurrency import thread as _thread  # noqa: F401

from examples.purchase_orders.orders import Orders
from examples.purchase_orders.replay import broker
from examples.purchase_orders.replay.celery_worker import work
from examples.purchase_orders.replay.notes import Notes
from examples.purchase_orders.replay.old_context import OldContext
from examples.purchase_orders.workflow import po

log = logging.getLogger("leaseboard.replay")
app = Celery("old", set_as_current=False)
app.config_from_object("django.conf:settings", namespace="CELERY")
broker.keep_apart(app)
logging.getLogger("celery").setLevel(logging.WARNING)


book = functools.cache(Orders)


class Process:
    """Set after the fork."""

    owner: str
    notes: Notes


@app.task(name="replay.order", acks_late=True, ignore_result=True)  # type: ignore[untyped-decorator]
def process_order(number: int, seed: int) -> None:
    order = book(seed).order(number)
    notes, owner = Process.notes, Process.owner
    notes.write("taken", order.run_id, number=number)
    results: dict[str, Any] = {}
    try:
        for step in po.steps:
            ctx = OldContext(order, step, results, owner, notes)
            notes.write("began", order.run_id, step=step.first_name, amount=_json(ctx.amount()))
            results[step.first_name] = step.body(ctx)  # type: ignore[arg-type]
            price = step.price(ctx, results[step.first_name]) if step.price else None  # type: ignore[arg-type]
            notes.write("done", order.run_id, step=step.first_name, price=_json(price))
    except Exception:
        # What the queue does with a message whose task failed: it comes again.
        log.exception("%s", order.run_id)
        notes.write("failed", order.run_id)
        process_order.delay(number, seed)
    else:
        notes.write("finished", order.run_id)


def _json(money: Any) -> dict[str, str] | None:
    return money.as_json() if money else None


def worker(name: str, build: str, threads: int) -> None:
    Process.owner = f"{name}#{os.urandom(3).hex()}"
    Process.notes = Notes(Path(os.environ["REPLAY_FOLDER"]) / "notes", Process.owner)
    Process.notes.write("booted", "", pid=os.getpid())
    work(app, name, threads)


def orders(runs: int, seconds: float, seed: int) -> None:
    began = time.monotonic()
    for number in range(1, runs + 1):
        time.sleep(max(0.0, began + number * seconds / runs - time.monotonic()))
        process_order.delay(number, seed)


def redeliver(numbers: list[int], seed: int) -> None:
    """What a queue does with messages that a dead worker had not deleted."""
    for number in numbers:
        process_order.delay(number, seed)


def clear() -> None:
    broker.clear(app)


ROLES: dict[str, Any] = {"worker": worker, "orders": orders, "redeliver": redeliver, "clear": clear}
