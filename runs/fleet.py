"""This worker process within Celery: it enters the fleet after the fork, drains on SIGTERM, and leaves last."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import psycopg
from celery import bootsteps
from celery.signals import task_postrun, worker_init, worker_ready, worker_shutdown, worker_shutting_down

from runs import db
from runs.errors import ConfigurationRefused
from runs.worker.drain import Drain
from runs.worker.heartbeat import Heartbeat
from runs.worker.process import Process, new_process, register

log = logging.getLogger("leaseboard.fleet")
# As sysexits.h names them.
EX_UNAVAILABLE, EX_CONFIG = 69, 78
# Celery counts a task as under way until a moment after it says that the task has run.
LOOK_AGAIN_SECONDS = 0.02


class Member:
    """The process, its heartbeat and its drain, together."""

    def __init__(self, threads: int) -> None:
        self.process: Process = new_process(threads)
        self.process.offer = _offer
        self.drain = Drain(self.process, self._consume)
        self.heartbeat = Heartbeat(self.process, self.drain)
        self.consumer: Any = None
        register(self.process)
        self.heartbeat.start()

    def _consume(self, on: bool) -> None:
        """Stop or resume taking messages: a bound process must not eat hints that others could use."""
        consumer = self.consumer
        if consumer is None:
            return
        queues = [queue.name for queue in consumer.app.amqp.queues.values()]
        act = consumer.add_task_queue if on else consumer.cancel_task_queue
        for name in queues:
            consumer.call_soon(act, name)

    def leave(self) -> None:
        self.heartbeat.stop()
        try:
            db.rows("leave", owner=self.process.writer.owner)
        except psycopg.Error as error:
            log.warning("%s could not sign off: %s", self.process.writer.owner, error)
        db.pool.close()


_member: Member | None = None
_dispatch: Callable[[str], object] | None = None
_lock = threading.Lock()


def here() -> Process:
    """This process as a worker; it joins the fleet at the first call, or at boot under Celery."""
    return _join(0).process


def _join(threads: int) -> Member:
    global _member
    with _lock:
        if _member is None:
            _member = Member(threads)
        return _member


def _offer(run_id: str) -> None:
    if _dispatch is not None:
        _dispatch(run_id)


def offer_through(dispatch: Callable[[str], object]) -> None:
    """The queue's side: how a run that may go on is offered to the workers."""
    global _dispatch
    _dispatch = dispatch


class GiveBack(bootsteps.StartStopStep):  # type: ignore[misc]
    """On SIGTERM, give back what this process has taken from the queue and not begun.

    Celery closes its channel only after the last task has ended. Until then prefetched messages stay
    with it, and so does the one that a blocking read may still be handed: a SIGKILL after the grace
    would lose them, and their runs would wait for the sweep instead of going on at once.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        """Nothing: there is something to give back only at the end."""

    def stop(self, parent: Any) -> None:
        consumer = parent.task_consumer
        # A reconnect stops the consumer as well; then the broker has taken everything back itself.
        if consumer is not None and _member is not None and _member.process.stopping:
            with suppress(*parent.connection.connection_errors, *parent.connection.channel_errors):
                consumer.cancel()
                consumer.channel.close()


@worker_init.connect
def _boot(sender: Any = None, **kwargs: Any) -> None:
    db.pool.forget()
    sender.app.steps["consumer"].add(GiveBack)
    # A run keeps its thread for minutes, so a message reserved behind busy threads would wait while another
    # worker has a free one. Celery can do without reserving on Redis and Valkey only.
    if sender.app.connection_for_read().transport.driver_type == "redis":
        sender.app.conf.worker_disable_prefetch = True
    # A process that serves only the sweep's queue drives nothing and is no member of the fleet.
    queues = sender.app.amqp.queues
    if sender.app.conf.task_default_queue not in queues.consume_from:
        return
    try:
        db.connect().close()
        _join(int(sender.concurrency or 0))
    except ConfigurationRefused as refusal:
        _refuse(str(refusal), EX_CONFIG)
    except ImportError as error:
        _refuse(f"LEASEBOARD_WORKFLOWS names a module that cannot be imported: {error}.", EX_CONFIG)
    except psycopg.OperationalError as error:
        said = str(error).strip().partition("\n")[0]
        _refuse(
            f"The database of DATABASE_URL does not answer: {said}. Start it, or correct the URL.",
            EX_UNAVAILABLE,
        )


def _refuse(sentence: str, code: int) -> NoReturn:
    """Celery logs what a signal's handler raises and boots all the same; only an exit stops it."""
    print(sentence, file=sys.stderr)
    raise SystemExit(code)


@worker_ready.connect
def _ready(sender: Any = None, **kwargs: Any) -> None:
    if _member is not None:
        _member.consumer = sender


@task_postrun.connect
def _thread_free(**kwargs: Any) -> None:
    """While every thread is busy Celery reads no message, and a thread that gets free does not wake its event
    loop: the next message would wait for up to a second, and short runs would go through one second at a time.
    """
    hub = getattr(_member.consumer, "hub", None) if _member is not None else None
    if hub is not None:
        hub.call_soon(hub.call_later, LOOK_AGAIN_SECONDS, _nothing)


def _nothing() -> None:
    """Only that the loop turns once more."""


@worker_shutting_down.connect
def _sigterm(**kwargs: Any) -> None:
    """Fires in the main thread, inside the signal handler: everything slow goes to a thread."""
    if _member is not None:
        _member.process.stopping = True
        threading.Thread(target=_member.drain.sigterm, name="sigterm").start()


@worker_shutdown.connect
def _gone(**kwargs: Any) -> None:
    if _member is not None:
        _member.leave()
