"""One replay from an empty stage to its report."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import psycopg

from examples.purchase_orders.replay import from_log, from_notes
from examples.purchase_orders.replay.deploy import Deploy, Outcome, ReplayFailed
from examples.purchase_orders.replay.from_books import Witness
from examples.purchase_orders.replay.history import History
from examples.purchase_orders.replay.parent import NurseryEnded, Parent, parent
from examples.purchase_orders.replay.plan import Plan
from examples.purchase_orders.replay.progress import Progress
from examples.purchase_orders.replay.report import Report, report
from examples.purchase_orders.replay.stage import Stage, stage
from examples.purchase_orders.replay.watch import NotesWatch, RecordWatch

HOUSEKEEPING_SECONDS = 120.0


def play(plan: Plan, progress: Progress, keep: bool = False) -> Report:
    """Raises PlanRefused, and ReplayFailed where it does not come to its end."""
    with stage(plan, keep) as here:
        progress.say("preparing")
        with parent("old" if plan.naive else "new", here.environment) as workers:
            try:
                outcome, history = (_old if plan.naive else _new)(plan, here, workers, progress)
            except (ReplayFailed, NurseryEnded) as failure:
                raise ReplayFailed(f"{failure} {_last_words(here.folder)}".strip()) from None
            finally:
                with suppress(NurseryEnded):
                    _alone(workers, "clear")
        if keep:
            progress.note(f"Kept: the database {here.name}, and the books and the log in {here.folder}.")
        return report(plan, outcome, history, Witness(here.vendors.books(), history.died))


def _new(plan: Plan, here: Stage, workers: Parent, progress: Progress) -> tuple[Outcome, History]:
    _alone(workers, "migrate")
    with psycopg.connect(here.database, autocommit=True) as conn:
        deploy = Deploy(plan, workers, RecordWatch(conn), here.vendors, here.folder, progress)
        outcome = deploy.run()
        ahead = _ahead(conn)
    return outcome, from_log.load(here.database, outcome.told, outcome.deaths, ahead)


def _old(plan: Plan, here: Stage, workers: Parent, progress: Progress) -> tuple[Outcome, History]:
    notes = here.folder / "notes"
    outcome = Deploy(plan, workers, NotesWatch(notes), here.vendors, here.folder, progress).run()
    return outcome, from_notes.load(notes, outcome.deaths)


def _ahead(conn: psycopg.Connection[tuple[float]]) -> float:
    """How far the database's clock is before ours, by the quickest of some answers."""
    answers = []
    for _ in range(5):
        asked = time.time()
        row = conn.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
        heard = time.time()
        assert row is not None
        answers.append((heard - asked, row[0] - (asked + heard) / 2))
    return min(answers)[1]


def _last_words(folder: Path) -> str:
    """What the workers wrote last: it is gone with the folder."""
    log = folder / "workers.log"
    written = log.read_text(errors="replace").split("\n") if log.exists() else []
    last = next((line.strip() for line in reversed(written) if line.strip()), "")
    return f"The last line of their log: {last[:300]}" if last else ""


def _alone(workers: Parent, role: str) -> None:
    """Fork a role and wait until it has done its part."""
    pid = workers.fork(role)
    end = time.monotonic() + HOUSEKEEPING_SECONDS
    while time.monotonic() < end:
        for death in workers.deaths(1.0):
            if death.pid == pid and death.code == 0:
                return
            if death.pid == pid:
                raise ReplayFailed(f"The part {role!r} of the replay failed.")
    raise ReplayFailed(f"The part {role!r} of the replay did not end.")
