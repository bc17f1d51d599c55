"""What a worker process holds while fifty of its runs wait for a slow vendor: connections and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench.nine_steps import INPUT
from bench.waiting import NAME
from runs import db, engine
from runs.tasks import dispatch

RUNS = 50
START_SECONDS = 60
# Every thread takes turns at the pool meanwhile, and the heartbeat has its connection.
SETTLE_SECONDS = 12
CELERY = f"-m celery --quiet -A dashboard worker -P threads -c {RUNS} -Q runs -n bench@%h --without-gossip --without-mingle"


@dataclass(frozen=True)
class Footprint:
    connections: int
    resident_mb: float
    proportional_mb: float


def measure(log: IO[str]) -> Footprint:
    """One Celery worker with its default pool; all connections to the record's database but ours are its."""
    for number in range(RUNS):
        engine.start(NAME, f"waiting-{number}", INPUT)
        dispatch(f"waiting-{number}")
    db.pool.close()
    environment = {name: value for name, value in os.environ.items() if name != "LEASEBOARD_POOL"}
    worker = subprocess.Popen([sys.executable, *CELERY.split()], env=environment, stdout=log, stderr=log)
    try:
        _await(lambda: _count("run_state", "status = 'started' AND workflow = 'bench_waiting'") == RUNS)
        time.sleep(SETTLE_SECONDS)
        connections = _count("pg_stat_activity", "datname = current_database() AND pid <> pg_backend_pid()")
        sizes = _memory(worker.pid)
    finally:
        worker.terminate()
        worker.wait(60)
    return Footprint(connections, sizes["Rss"] / 1024, sizes["Pss"] / 1024)


def _count(table: str, condition: str) -> int:
    with db.connect() as conn:
        return int(conn.execute(f"SELECT count(*) AS n FROM {table} WHERE {condition}").fetchall()[0]["n"])


def _await(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not reached():
        if time.monotonic() > deadline:
            raise RuntimeError(f"The worker had not all {RUNS} runs in flight after {START_SECONDS} s.")
        time.sleep(0.2)


def _memory(pid: int) -> dict[str, int]:
    """Rss and Pss in kB: what is mapped, and what of it is not shared with others."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {line.split(":")[0]: int(line.split()[1]) for line in lines}
