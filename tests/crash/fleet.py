"""One fleet for all crash tests: a worker process for each of them to kill or stop, and one that saves their runs.

Each victim reads a queue of its own, so that it gets exactly the run that is meant for it. What it drops is
found by the sweep, which this process makes every second, and goes to the queue that the rescuer reads.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.conf import settings

from dashboard import celery_app
from runs import engine, tasks
from runs.sweep import sweep
from tests.support import fleet_flows
from tests.support.factories import new_id, row

TTL, HEARTBEAT = 6.0, 2.0
GIVE_UP_SECONDS = 60.0
KILLED = [
    "after_claim",
    "before_effect:charge",
    "after_effect:charge",
    "before_commit:charge",
    "after_commit:charge",
    "before_effect:book",
    "after_effect:book",
    "after_effect:activate",
    "after_effect:credit",
    "after_commit:lines",
]
STOPPED = [
    "after_claim",
    "before_effect:charge",
    "after_effect:charge",
    "after_commit:charge",
    "after_effect:activate",
    "before_commit:prepare",
]
TERMINATED = ["after_effect:activate"]
SWEEPERS = ["KILL", "STOP"]


@dataclass
class Victim:
    """A worker process and the run that was meant for it."""

    name: str
    process: subprocess.Popen[bytes]
    reached: Path
    run_id: str = ""

    def is_stopped(self) -> bool:
        return bool(psutil.Process(self.process.pid).status() == psutil.STATUS_STOPPED)

    def wake(self) -> None:
        self.process.send_signal(signal.SIGCONT)


class Fleet:
    def __init__(self, folder: Path, url: str, broker: str) -> None:
        self.books = folder / "books.jsonl"
        self._folder = folder
        self._env = {
            **os.environ,
            "DATABASE_URL": url,
            "CELERY_BROKER_URL": broker,
            fleet_flows.BOOKS: str(self.books),
            "LEASEBOARD_WORKFLOWS": fleet_flows.__name__,
            "LEASEBOARD_TTL_SECONDS": str(TTL),
            "LEASEBOARD_APPS": "",
            "LEASEBOARD_HEARTBEAT_SECONDS": str(HEARTBEAT),
            "LEASEBOARD_POOL": "2",
            "PYTHONPATH": os.getcwd(),
        }
        # Queues of this session alone.
        self.mark = new_id("crash")
        self.victims: dict[str, Victim] = {}
        self._children: list[subprocess.Popen[bytes]] = []
        self._ended = threading.Event()
        self._sweeping = threading.Thread(target=self._sweep, daemon=True)

    def start(self) -> None:
        for how, points in (("KILL", KILLED), ("STOP", STOPPED), ("TERM", TERMINATED)):
            for point in points:
                self._victim(f"{how} {point}", point, how)
        for how in SWEEPERS:
            self._victim(f"{how} sweep", "sweep_after_select", how)
        self.rescuer = self._worker("rescuer", "runs", {}, threads=8)
        for victim in self.victims.values():
            if not victim.name.endswith("sweep"):
                victim.run_id = new_id("errand")
                engine.start("errand", victim.run_id, {})
                self.send(victim.run_id, victim.name)
        self._sweeping.start()

    def send(self, run_id: str, victim: str) -> None:
        tasks.drive.apply_async((run_id,), queue=self._queue(victim))

    def send_sweep(self, victim: str) -> None:
        tasks.sweep.apply_async(queue=self._queue(victim), expires=None)

    def end(self) -> None:
        self._ended.set()
        # A start that failed ends here too, and its children with it.
        if self._sweeping.is_alive():
            self._sweeping.join(10)
        for child in self._children:
            child.kill()
        for child in self._children:
            child.wait(10)

    def calls(self, run_id: str, step: str) -> list[dict[str, Any]]:
        return [
            call for call in fleet_flows.read(self.books) if (call["run"], call["step"]) == (run_id, step)
        ]

    def log(self, victim: Victim) -> str:
        return self._log_of(victim.name).read_text()

    def _log_of(self, name: str) -> Path:
        return self._folder / f"{name.replace(' ', '-').replace(':', '-')}.log"

    def _victim(self, name: str, point: str, how: str) -> None:
        reached = self._folder / f"{name.replace(':', '-').replace(' ', '-')}.reached"
        where, _, step = point.partition(":")
        # One that is to be told to end is stopped first, until its run has gone to another.
        plan = f"{where}:{'STOP' if how == 'TERM' else how}:{step}".rstrip(":")
        process = self._worker(
            name, self._queue(name), {"LEASEBOARD_CRASH_AT": plan, "LEASEBOARD_CRASH_ONCE": str(reached)}
        )
        self.victims[name] = Victim(name, process, reached)

    def _queue(self, victim: str) -> str:
        return f"{self.mark}-{victim}".replace(" ", "-").replace(":", "-")

    def _worker(
        self, name: str, queue: str, env: dict[str, str], threads: int = 2
    ) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "celery",
            "--quiet",
            "-A",
            "dashboard",
            "worker",
            "-P",
            "threads",
            "-c",
            str(threads),
            "-Q",
            queue,
            "-n",
            f"{queue}@%h",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
            "--loglevel",
            "INFO",
        ]
        with self._log_of(name).open("wb") as log:
            more = {**self._env, **env, "LEASEBOARD_WORKER": name.replace(" ", "-")}
            child = subprocess.Popen(
                command, env=more, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self._children.append(child)
        return child

    def _sweep(self) -> None:
        while not self._ended.wait(1.0):
            sweep(tasks.dispatch)


@pytest.fixture(scope="module")
def fleet(
    on_the_record: None, record_url: str, broker_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    celery_app.conf.broker_url = broker_url
    declared, settings.LEASEBOARD_WORKFLOWS = settings.LEASEBOARD_WORKFLOWS, [fleet_flows.__name__]
    one = Fleet(tmp_path_factory.mktemp("crash"), record_url, broker_url)
    try:
        one.start()
        yield one
    finally:
        one.end()
        settings.LEASEBOARD_WORKFLOWS = declared


def until(seen: Callable[[], Any], what: str, seconds: float = GIVE_UP_SECONDS) -> Any:
    """Poll until it is so, and return what was seen."""
    give_up = time.monotonic() + seconds
    while not (found := seen()):
        assert time.monotonic() < give_up, f"it did not come to pass: {what}"
        time.sleep(0.1)
    return found


def until_status(run_id: str, *statuses: str) -> dict[str, Any]:
    until(lambda: row(run_id)["status"] in statuses, f"run {run_id} {' or '.join(statuses)}")
    return row(run_id)
