"""Whole runs of nine steps through the worker's own code, beside DBOS Transact's workflows of nine steps."""

from __future__ import annotations

import itertools

from bench.nine_steps import INPUT, NAME, STEPS
from bench.peer import Peer
from bench.rounds import Rates, alternate, rate
from runs import db, engine
from runs.worker.drive import drive
from runs.worker.process import Process, new_process, register

ROUNDS = 13
# Runs in one round of ours: a third of a second. DBOS gets a quarter of them.
RUNS = {1: 60, 8: 160}
PEER_SHARE = 4

_numbers = itertools.count()


def measure(threads: int, peer: Peer) -> Rates:
    """Runs per second from the start's INSERT to done, by workflows per second from call to return."""
    process = new_process(threads)
    register(process)
    rates = alternate(
        lambda: _ours(process, threads),
        lambda: peer.round(threads, RUNS[threads] // PEER_SHARE),
        ROUNDS,
    )
    _all_done()
    return rates


def _ours(process: Process, threads: int) -> float:
    mine = RUNS[threads] // threads

    def work(thread: int) -> int:
        for _ in range(mine):
            run_id = f"whole-{next(_numbers)}"
            engine.start(NAME, run_id, INPUT)
            drive(process, run_id)
        return mine

    return rate(threads, work)


def _all_done() -> None:
    """A rate of runs that were not finished would be no rate of runs."""
    asked = (
        "SELECT count(*) AS left FROM run_state WHERE run_id LIKE 'whole-%%' AND (status <> 'done' "
        "OR (SELECT count(*) FROM jsonb_object_keys(completed)) <> %s)"
    )
    with db.connect() as conn:
        found = conn.execute(asked, [len(STEPS)]).fetchall()
    if found != [{"left": 0}]:
        raise RuntimeError(f"{found} whole runs were not finished.")
