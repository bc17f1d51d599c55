"""What a scene is played on: a database, a broker, a folder for the books, worker processes and a sweep of its own."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from celery import Celery
from django.conf import settings
from psycopg.rows import dict_row

from runs import db
from tests.fleet.process import Process, python
from tests.fleet.valkey import Valkey
from tests.fleet.waiting import POLL_SECONDS, until
from tests.fleet.worker import Worker

TTL, HEARTBEAT, SWEEP = 6.0, 2.0, 1.0
# What a machine with two busy cores may add to any of these.
SLACK = 2.0
RESTART_SECONDS = 30.0


class Stage:
    """One scene's world. Not shared between threads."""

    def __init__(self, database: str, name: str) -> None:
        self.database = database
        self.folder = Path(tempfile.mkdtemp(prefix=f"leaseboard-{name}-"))
        (self.folder / "gates").mkdir()
        self.broker = Valkey(self.folder)
        self.processes: list[Process] = []
        self.env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("LEASEBOARD_CRASH")},
            "DATABASE_URL": database, "CELERY_BROKER_URL": self.broker.url, "FLEET_FOLDER": str(self.folder),
            "DJANGO_SETTINGS_MODULE": "dashboard.settings", "LEASEBOARD_WORKFLOWS": "tests.fleet.flows",
            "LEASEBOARD_TTL_SECONDS": f"{TTL:g}", "LEASEBOARD_HEARTBEAT_SECONDS": f"{HEARTBEAT:g}",
            "LEASEBOARD_DATA": str(self.folder / "data"), "SECRET_KEY": settings.SECRET_KEY,
        }  # fmt: skip
        self.app = Celery(f"fleet-{name}", set_as_current=False)
        # Celery lets CELERY_BROKER_URL of this process, the session's broker, go before a plain broker_url.
        self.app.conf.update(
            broker_write_url=self.broker.url, task_default_queue="runs", task_ignore_result=True
        )
        self._conn: psycopg.Connection[dict[str, Any]] | None = None

    def close(self) -> None:
        for process in self.processes:
            process.kill()
        self.app.close()
        self.broker.close()
        if self._conn is not None:
            self._conn.close()
        shutil.rmtree(self.folder)

    # The record

    def ask(self, text: str, /, **params: Any) -> list[dict[str, Any]]:
        """Any statement. A server that restarts is waited for."""
        deadline = time.monotonic() + RESTART_SECONDS
        while True:
            try:
                cursor = self._connection().execute(text, params)
                return cursor.fetchall() if cursor.description else []
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(POLL_SECONDS)

    def act(self, verb: str, /, **params: Any) -> list[dict[str, Any]]:
        """One of the record's own statements."""
        return db.execute(self._connection(), verb, params)

    def _connection(self) -> psycopg.Connection[dict[str, Any]]:
        if self._conn is None or self._conn.closed:
            self._conn = psycopg.connect(self.database, autocommit=True, row_factory=dict_row)
        return self._conn

    def row(self, run_id: str) -> dict[str, Any]:
        return self.ask("SELECT * FROM run_state WHERE run_id = %(run_id)s", run_id=run_id)[0]

    def log(self, run_id: str) -> list[dict[str, Any]]:
        return self.ask("SELECT * FROM run_transition WHERE run_id = %(run_id)s ORDER BY id", run_id=run_id)

    def status(self, run_id: str) -> str:
        return str(self.row(run_id)["status"])

    def await_status(
        self, status: str, *run_ids: str, seconds: float = 30, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        """Wait until all of them are there; meanwhile is called before each look."""

        def all_there() -> bool:
            meanwhile()
            self.away = {run: now for run in run_ids if (now := self.status(run)) != status}
            return not self.away

        try:
            until(all_there, f"all of {len(run_ids)} runs are {status}", seconds)
        except AssertionError as error:
            rows = [self.row(run) for run in list(self.away)[:5]]
            error.add_note(f"not there: {self.away}; {rows}")
            raise

    def claims(self, runs: list[str]) -> list[dict[str, Any]]:
        """The rows of the log by which these changed hands, the oldest first."""
        text = """SELECT * FROM run_transition WHERE run_id = ANY (%(runs)s)
                  AND lease_event IN ('claimed', 'taken_over') ORDER BY at"""
        return self.ask(text, runs=runs)

    def claimers(self, runs: list[str]) -> set[str]:
        """The names of the workers that claimed these."""
        return {row["owner_after"].partition("#")[0] for row in self.claims(runs)}

    def first_claim(self, runs: list[str]) -> Any:
        return self.claims(runs)[0]["at"]

    # Runs

    def put(self, run_id: str, workflow: str = "trip", *, step: str = "", **told: Any) -> str:
        """A pending run on the board; told is its input. Nobody hears of it."""
        first = {"trip": "pack", "hike": "walk", "visa": "ask", "night": "sleep", "parcel": "weigh"}[workflow]
        mark = {"step": step or first, "status": "pending", "attempt": 0, "item": None}
        text = """INSERT INTO run_state (run_id, workflow, cursor, input)
                  VALUES (%(run_id)s, %(workflow)s, %(cursor)s, %(input)s)"""
        self.ask(text, run_id=run_id, workflow=workflow, cursor=json.dumps(mark), input=json.dumps(told))
        return run_id

    def send(self, run_id: str) -> str:
        """A message to the workers: its id."""
        return str(self.app.send_task("runs.drive", (run_id,), expires=60).id)

    def run(self, run_id: str, workflow: str = "trip", **told: Any) -> str:
        self.put(run_id, workflow, **told)
        self.send(run_id)
        return run_id

    def open_gate(self, name: str) -> None:
        (self.folder / "gates" / name).touch()

    # The books

    def books(self, **wanted: Any) -> list[dict[str, Any]]:
        path = self.folder / "books"
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        calls = [json.loads(line) for line in lines if line.endswith("\n")]
        return [call for call in calls if all(call[name] == value for name, value in wanted.items())]

    def await_call(self, run_id: str, step: str, times: int = 1, seconds: float = 30, **wanted: Any) -> None:
        look = lambda: len(self.books(run=run_id, step=step, **wanted)) >= times  # noqa: E731
        until(look, f"{step} of {run_id} is called {times} times", seconds)

    def repeated(self) -> dict[tuple[str, str, str | None], int]:
        """Calls that were made more than once, by run, step and item."""
        made = Counter((call["run"], call["step"], call["item"]) for call in self.books())
        return {call: times for call, times in made.items() if times > 1}

    # Processes

    def worker(self, name: str, **options: Any) -> Worker:
        return Worker(self, name, **options)

    def sweeper(self) -> Process:
        self.processes.append(Process("sweeper", python("-m", "tests.fleet.sweeper"), self.env, self.folder))
        return self.processes[-1]

    def swept(self) -> list[dict[str, Any]]:
        """What each sweep did."""
        lines = (self.folder / "sweeper.log").read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    def started(self, name: str, *command: str, **env: str) -> Process:
        self.processes.append(Process(name, python(*command), {**self.env, **env}, self.folder))
        return self.processes[-1]

    def manage(self, *arguments: str, seconds: float = 30) -> tuple[int, str]:
        """A management command: its exit status and what it said."""
        process = self.started(f"manage-{len(self.processes)}", "manage.py", *arguments)
        return process.ended(seconds), process.said()

    def tails(self) -> str:
        return "\n".join(process.tail() for process in self.processes)

    def now(self) -> float:
        return time.time()
