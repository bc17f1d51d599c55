"""PostgreSQL is stopped at once, without a checkpoint, and started again, three times under forty runs."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from dashboard.embedded import place, postgres
from tests.fleet.lanes import scene
from tests.fleet.stage import Stage
from tests.fleet.waiting import until

RUNS, RESTARTS = 40, 3
LEGS = ["a", "b", "c"]
STEPS = ("pack", "quote", "reserve", "charge", "close")
SECONDS_EACH = 1.0


@dataclass
class Restarted:
    # How many calls the books held when the server was stopped: always in the middle of the work.
    calls_at: list[int]
    rows: list[dict[str, Any]]
    items: set[tuple[str, str]]
    called: set[tuple[str, str]]
    repeated: dict[Any, int]
    workers: int
    lived: bool
    check_log: tuple[int, str]


@scene(seconds=40)
def restarted(stage: Stage) -> Restarted:
    with _server() as data:
        own = Stage(place.database_url(data), "restarted-own")
        try:
            own.broker.start()
            status, said = own.manage("migrate", seconds=60)
            assert status == 0, said
            return _play(own, data)
        except BaseException as error:
            error.add_note(own.tails())
            raise
        finally:
            own.close()


@contextmanager
def _server() -> Iterator[Path]:
    """A server of the scene's own that keeps what it has acknowledged, unlike the tests' usual one."""
    # Not a closed folder: root's server runs as an account of its own.
    folder = Path(tempfile.mkdtemp(prefix="leaseboard-restarts-"))
    folder.chmod(0o711)
    data = folder / "data"
    place.make(data)
    postgres.ensure(data)
    try:
        yield data
    finally:
        postgres.stop(data)
        shutil.rmtree(folder)


def _play(stage: Stage, data: Path) -> Restarted:
    stage.sweeper()
    workers = [stage.worker(name, threads=RUNS // 2) for name in ("left", "right")]
    for worker in workers:
        worker.ready()
    told = {step: {"seconds": SECONDS_EACH} for step in STEPS}
    runs = [stage.run(f"run-{n:02}", legs=LEGS, **told) for n in range(RUNS)]
    calls_at = []
    for n in range(RESTARTS):
        until(
            lambda calls=RUNS * (1 + 2 * n): len(stage.books()) > calls, "the runs are well on their way", 30
        )
        calls_at.append(len(stage.books()))
        _restart(data)
    stage.await_status("done", *runs, seconds=25)
    items = stage.ask("SELECT run_id, item FROM run_item")
    return Restarted(
        calls_at, [stage.row(run) for run in runs], {(row["run_id"], row["item"]) for row in items},
        {(call["run"], call["item"]) for call in stage.books(step="quote")}, stage.repeated(),
        stage.ask("SELECT count(*) AS n FROM run_worker")[0]["n"], all(worker.alive for worker in workers),
        stage.manage("check_log"),
    )  # fmt: skip


def _restart(data: Path) -> None:
    """SIGQUIT is what an immediate shutdown sends; the start recovers from the log."""
    postmaster = psutil.Process(int((data / "postgres" / "postmaster.pid").read_text().split()[0]))
    os.kill(postmaster.pid, signal.SIGQUIT)
    until(
        lambda: not postmaster.is_running() or postmaster.status() == psutil.STATUS_ZOMBIE,
        "PostgreSQL is gone",
    )
    assert postgres.ensure(data), "It was started again."


def test_the_server_was_stopped_in_the_middle_of_the_work(restarted: Restarted) -> None:
    whole = RUNS * (len(STEPS) - 1 + len(LEGS))
    assert len(restarted.calls_at) == RESTARTS and all(RUNS < calls < whole for calls in restarted.calls_at)


def test_every_run_finishes_and_no_acknowledged_commit_is_lost(restarted: Restarted) -> None:
    assert all(set(row["completed"]) == set(STEPS) for row in restarted.rows)
    assert restarted.items == restarted.called
    assert restarted.repeated == {}


def test_no_worker_needs_a_restart(restarted: Restarted) -> None:
    assert {row["status"] for row in restarted.rows} == {"done"}
    assert restarted.lived and restarted.workers == 2


def test_check_log_finds_the_log_without_a_gap(restarted: Restarted) -> None:
    status, said = restarted.check_log
    assert (status, "no violation" in said) == (0, True), said
