"""What the children of the preloaded parent do when the record is at work."""

from __future__ import annotations

import logging
import time
from typing import Any

from celery import current_app
from celery.apps import worker as _worker  # noqa: F401 - loaded before the fork, so that it is shared
from celery.concurrency import thread as _thread  # noqa: F401
from django.conf import settings
from django.core.management import call_command

from examples.purchase_orders.orders import Orders
from examples.purchase_orders.replay import broker
from examples.purchase_orders.replay.celery_worker import work
from runs import engine, tasks
from runs.sweep import sweep as sweep_once
from runs.workflow import declared

log = logging.getLogger("leaseboard.replay")
app = current_app._get_current_object()
broker.keep_apart(app)
app.loader.import_default_modules()
declared()
logging.getLogger("celery").setLevel(logging.WARNING)


def migrate() -> None:
    call_command("migrate", verbosity=0)


def worker(name: str, build: str, threads: int) -> None:
    # Settings are read at import, which was before the fork; the build is what a fork changes.
    settings.LEASEBOARD_BUILD = build
    settings.LEASEBOARD_WORKER = name
    work(app, name, threads)


def sweep(seconds: float) -> None:
    """What beat and the sweep's own worker do, at this replay's pace."""
    settings.LEASEBOARD_SWEEP_SECONDS = seconds
    while True:
        began = time.monotonic()
        try:
            sweep_once(tasks.dispatch)
        except Exception:
            # A failed task does not end its worker either; the next sweep finds the same rows.
            log.exception("sweep")
        time.sleep(max(0.0, began + seconds - time.monotonic()))


def orders(runs: int, seconds: float, seed: int) -> None:
    """Place the orders evenly over so many seconds."""
    book = Orders(seed)
    began = time.monotonic()
    for number in range(1, runs + 1):
        order = book.order(number)
        time.sleep(max(0.0, began + number * seconds / runs - time.monotonic()))
        engine.start("purchase_order", order.run_id, order.input, actor="replay_deploy")
        tasks.dispatch(order.run_id)


def clear() -> None:
    broker.clear(app)


ROLES: dict[str, Any] = {
    "migrate": migrate,
    "worker": worker,
    "sweep": sweep,
    "orders": orders,
    "clear": clear,
}
