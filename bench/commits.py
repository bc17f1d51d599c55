"""One step's commit: ours, with log, facts, fence and start mark, beside the plain protocol's bare UPDATE."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from bench import chapter
from bench.nine_steps import INPUT, NAME, STEPS, answer
from bench.rounds import Rates, Round, alternate, rate
from runs import db, engine
from runs.fence import Writer
from runs.results import as_json, stored
from runs.run import Run, mark
from runs.states import Guard, Status

WRITER = Writer("bench#000000", "bench", 30.0)
EPOCH = 1
ROUNDS = 25
# Runs that each thread takes through nine commits in one round, a quarter of a second at most.
RUNS = {1: 50, 8: 20}
AMOUNT = {"amount": "0.40", "currency": "EUR"}
# Where a run stands before each step, begun, and in the end.
MARKS = [mark(step, Status.STARTED, 1, guard=Guard.REPEAT_OK.value, amount=AMOUNT) for step in STEPS]
MARKS.append(mark(STEPS[-1], Status.DONE, 1))
MOVES = tuple(zip(STEPS, MARKS[:-1], MARKS[1:], strict=True))

_batch = itertools.count()


def whole(threads: int) -> Rates:
    """engine.commit with all its Python, from a step's value to the judged answer."""
    with _connections(threads) as conns:
        return alternate(ours(conns[0], threads), _bare(conns), ROUNDS)


def statement(threads: int) -> Rates:
    """The statement alone, its parameters ready, through a cursor of psycopg on either side."""
    with _connections(threads) as conns:
        return alternate(_statement(conns), _bare(conns), ROUNDS)


@contextmanager
def _connections(threads: int) -> Iterator[list[psycopg.Connection[Any]]]:
    """A connection for each thread, open and with its statements prepared before anything is timed."""
    with ExitStack() as opened:
        conns = [opened.enter_context(db.connect()) for _ in range(threads)]
        conns[0].execute(chapter.TABLE)
        yield conns


def ours(conn: psycopg.Connection[Any], threads: int) -> Round:
    def commit_all(run: Run) -> None:
        for step, _, onward in MOVES:
            keep = onward["status"] != "done"
            engine.commit(run, WRITER, stored(answer(step)), onward, vendor="Creditline", keep=keep)

    def one_round() -> float:
        held = [[_held(run_id) for run_id in mine] for mine in _fill(conn, "run_state", threads)]
        return rate(threads, lambda thread: _each(held[thread], commit_all))

    return one_round


def _statement(conns: list[psycopg.Connection[Any]]) -> Round:
    text = db.sql("commit_step")
    params = [
        {
            "owner": WRITER.owner, "epoch": EPOCH, "expected": as_json(stands), "onward": as_json(onward), "vendor": "Creditline",
            "result": as_json({step: answer(step)}), "consumed": [], "by": db.by("commit_step", WRITER.build),
            "ttl": WRITER.ttl if onward["status"] != "done" else None,
        }
        for step, stands, onward in MOVES
    ]  # fmt: skip

    def one_round() -> float:
        names = _fill(conns[0], "run_state", len(conns))

        def work(thread: int) -> int:
            def commit_all(run_id: str) -> None:
                for each in params:
                    if conns[thread].execute(text, {**each, "run_id": run_id}).rowcount != 1:
                        raise RuntimeError(f"The commit of {run_id} matched no row.")

            return _each(names[thread], commit_all)

        return rate(len(conns), work)

    return one_round


def _bare(conns: list[psycopg.Connection[Any]]) -> Round:
    def one_round() -> float:
        names = _fill(conns[0], "bare_run", len(conns))

        def work(thread: int) -> int:
            def commit_all(run_id: str) -> None:
                for step, _, onward in MOVES:
                    chapter.commit_step(
                        conns[thread], run_id, WRITER.owner, EPOCH, step, answer(step), onward
                    )

            return _each(names[thread], commit_all)

        return rate(len(conns), work)

    return one_round


def _each(runs: list[Any], commit_all: Callable[[Any], None]) -> int:
    for run in runs:
        commit_all(run)
    return len(runs) * len(STEPS)


def _fill(conn: psycopg.Connection[Any], table: str, threads: int) -> list[list[str]]:
    """Rows of runs that we hold, the first step begun; their names, apart for each thread."""
    batch = next(_batch)
    names = [[f"bench-{batch}-{thread}-{n}" for n in range(RUNS[threads])] for thread in range(threads)]
    workflow = (", workflow", f", '{NAME}'") if table == "run_state" else ("", "")
    conn.execute(
        f"INSERT INTO {table} (run_id, epoch, cursor, input, lease_owner, lease_expires_at{workflow[0]}) "
        f"SELECT name, %s, %s, %s, %s, now() + interval '30 seconds'{workflow[1]} FROM unnest(%s::text[]) AS name",
        [EPOCH, Jsonb(MARKS[0]), Jsonb(INPUT), WRITER.owner, [name for mine in names for name in mine]],
    )
    return names


def _held(run_id: str) -> Run:
    now = datetime.now(UTC)
    return Run(
        run_id=run_id, workflow=NAME, owner=WRITER.owner, epoch=EPOCH, cursor=MARKS[0], completed={}, input=INPUT,
        generation=0, entered_generation=0, first_started_at=now, may_send_until=None, signals={}, claimed_at=now,
    )  # fmt: skip
