"""The command as a person runs it: real workers, killed; its figures, its manners, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import psutil
import psycopg
import pytest

from examples.purchase_orders.replay.parent import parent
from examples.purchase_orders.replay.plan import Plan, PlanRefused, fitting_speed
from examples.purchase_orders.vendors.process import PROJECT
from tests.examples.conftest import wait_for
from tests.house.servers import Addresses

SMALL = "--runs 24 --workers 2 --threads 16 --speed 24"
KEYS = {
    "finished",
    "handed_over",
    "cut",
    "in_doubt",
    "steps_repeated",
    "duplicates",
    "recovery_seconds",
    "books_agree",
}

Start = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def start(embedded: Addresses) -> Start:
    environment = {**os.environ, "DATABASE_URL": embedded.database, "CELERY_BROKER_URL": embedded.broker}

    def started(options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "manage.py", "replay_deploy", *options.split()]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=pipe, stderr=pipe, text=True)

    return started


def family(leader: int) -> list[psutil.Process]:
    """The parent of the workers and everything it forked, by what they were started with."""
    found = []
    for process in psutil.process_iter():
        try:
            if (
                process.environ().get("REPLAY_LEADER") == str(leader)
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                found.append(process)
        except psutil.Error:
            continue
    return found


def databases(url: str) -> set[str]:
    with psycopg.connect(url) as conn:
        return {
            row[0] for row in conn.execute("SELECT datname FROM pg_database WHERE datname LIKE 'replay%'")
        }


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, out + err
    return dict(json.loads(out))


def test_the_record_gets_every_run_through_the_deploy_and_both_witnesses_say_so(start: Start):
    found = finished(start(f"{SMALL} --json --slow Cardline=30"))
    assert found.keys() >= KEYS and KEYS - {"books_agree"} <= found["books"].keys()
    assert found["finished"] + found["in_doubt"] == 24 and found["steps_repeated"] == 0
    assert found["cut"] > 0 and found["workers_killed"] > 0 and found["books_agree"]
    # A message that nobody reads any more would cost its run a minute.
    waited = found["handover_seconds"]["max"]
    assert waited is None or waited < 20


def test_the_old_code_buys_again_and_both_witnesses_say_so(start: Start):
    found = finished(start(f"{SMALL} --json --naive"))
    assert found["finished"] == 24 and found["books_agree"]
    assert found["steps_repeated"] > 0 and found["cut"] > 0
    assert sum(bought["calls"] for bought in found["duplicates"]) > 0


def test_an_interrupted_fork_leaves_its_answer_to_nobody_else(
    embedded: Addresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Ctrl-C between a fork and its answer: the last fork, which tidies up, waited for a worker that never ends."""
    corner = {
        "REPLAY_LEADER": str(os.getpid()),
        "REPLAY_NAME": "replay_interrupted",
        "REPLAY_FOLDER": str(tmp_path),
    }
    with parent("old", {**os.environ, **corner, "CELERY_BROKER_URL": embedded.broker}) as workers:
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(workers, "_listen", Mock(side_effect=KeyboardInterrupt))
            workers.fork("clear")
        last = workers.fork("clear")
        died: list[int] = []
        wait_for(lambda: len(died.extend(death.pid for death in workers.deaths(0.1)) or died) == 2)
    assert last == max(died)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_it_ends_no_process_is_left(start: Start, embedded: Addresses, number: int):
    before = databases(embedded.database)
    process = start(SMALL)
    wait_for(lambda: len(family(process.pid)) >= 5, 60)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    process.communicate(timeout=30)
    wait_for(
        lambda: (
            not family(process.pid)
            and not any(child.is_running() and child.status() != "zombie" for child in children)
        )
    )
    if number != signal.SIGKILL:
        assert databases(embedded.database) == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--runs 20 --workers 2 --threads 3", "raise --workers or --threads, or lower --runs."),
        ("--runs many", "'many' is not a whole number"),
        ("--speed 0", "'0' is not a number from 0.1 to 1000"),
        ("--slow Nobody=3", "'Nobody' is none of"),
        ("--runs 5000 --workers 5000 --threads 1", "connections left"),
    ],
)
def test_bad_arguments_get_one_sentence(start: Start, options: str, sentence: str):
    process = start(options)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2 and sentence in err and "Traceback" not in err


def test_everything_scales_together_but_the_lease_has_a_floor():
    plan = Plan(runs=1900, workers=40, threads=50, speed=3)
    assert (plan.grace, plan.ttl, plan.pace, plan.heartbeat) == (10.0, 10.0, 0.75, 3.333)
    fast = Plan(runs=10, workers=1, threads=10, speed=60)
    assert (fast.grace, fast.ttl, fast.sweep) == (0.5, 6.0, 1.0)
    assert fitting_speed(20) == 12 and 1 <= fitting_speed(1900) < 3
    with pytest.raises(PlanRefused):
        Plan(runs=11, workers=1, threads=10, speed=1)


def test_time_goes_on_for_a_reader_without_a_terminal(start: Start):
    process = start("--runs 4 --workers 1 --threads 4 --speed 200")
    began = time.monotonic()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "recovery after a cut" in out and "\x1b" not in err
    assert "taking orders" in err and len(err.splitlines()) < 20 + (time.monotonic() - began) / 10
