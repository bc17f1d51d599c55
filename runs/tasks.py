"""The Celery tasks. A message is a hint and the row is the work: lost, doubled or late, it changes nothing."""

from __future__ import annotations

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from runs import db, fleet, tally
from runs.sweep import sweep as sweep_once
from runs.worker.drive import drive as drive_run

log = logging.getLogger("leaseboard.tasks")
# After a minute the sweep sends the run again, so an older message is of no use.
MESSAGE_SECONDS = 60
# A message that found nobody who may take its run goes on to the next worker, but not round and round.
PASSES_MAX = 20


def dispatch(run_id: str, passed: int = 0) -> bool:
    """Offer a run to the workers. False where the broker did not take the message: then the sweep offers
    it within a minute, and nothing is lost. passed counts the workers that passed this message on."""
    try:
        drive.apply_async((run_id, passed) if passed else (run_id,), expires=MESSAGE_SECONDS)
    except (OperationalError, OSError) as error:
        log.warning("run %s: the queue is down (%s); the sweep will start it", run_id, error)
        return False
    return True


@shared_task(name="runs.drive", ignore_result=True)
def drive(run_id: str, passed: int = 0) -> None:
    """Claim a run and advance it as far as this process can."""
    if drive_run(fleet.here(), run_id) and passed < PASSES_MAX:
        dispatch(run_id, passed + 1)


@shared_task(name="runs.sweep", ignore_result=True, expires=10)
def sweep() -> None:
    sweep_once(dispatch)


@shared_task(name="runs.partitions", ignore_result=True)
def partitions() -> None:
    """Make the log's next months."""
    made = [row["made"] for row in db.rows("make_partitions")]
    db.rows("pulse", name="partitions", at=None, detail="{}")
    if made:
        log.info("made %s", ", ".join(made))


@shared_task(name="runs.fold", ignore_result=True, expires=10)
def fold() -> None:
    """Count the runs that have ended since the last time."""
    tally.fold()


fleet.offer_through(dispatch)
