"""The lines of the table, in the order in which they are measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from bench import commits, footprint, heartbeats, long_loop, puts, whole_runs
from bench.peer import Peer, peer
from bench.rounds import Rates
from bench.server import Server
from bench.table import Line

THREADS = (1, 8)
COMMIT_GOAL = 0.65
RUN_GOALS = {1: 4.0, 8: 6.0}
PUT_GOALS = {1: 0.5, 8: 0.7}


def lines(server: Server, log: IO[str]) -> Iterator[Line]:
    """Measure everything. The slow and heavy parts come last."""
    yield from _commits()
    with peer("dbos_transact", server.database("dbos"), log) as dbos:
        yield from _whole_runs(dbos)
    with peer("langgraph_saver", server.database("langgraph"), log) as langgraph:
        yield from _puts(langgraph)
    for workers in (1, 4, 40):
        yield from _heartbeats(workers)
    yield from _footprint(log)
    yield _long_loop()


def _commits() -> Iterator[Line]:
    for threads in THREADS:
        rates = commits.statement(threads)
        yield _ratio(
            f"commit_step, the statement, by the bare UPDATE, {_threads(threads)}",
            rates, threads, COMMIT_GOAL, "bare",
        )  # fmt: skip
    for threads in THREADS:
        rates = commits.whole(threads)
        yield _ratio(
            f"commit_step, through engine.commit with all its Python, by the bare UPDATE, {_threads(threads)}",
            rates, threads, COMMIT_GOAL, "bare",
        )  # fmt: skip


def _whole_runs(dbos: Peer) -> Iterator[Line]:
    for threads in THREADS:
        rates = whole_runs.measure(threads, dbos)
        told = f"{rates.ours:.0f} runs/s, DBOS {rates.theirs:.1f} workflows/s"
        yield Line(
            f"whole nine-step runs by DBOS Transact's, {_threads(threads)}",
            rates.ratio, " ×", RUN_GOALS[threads], True, told,
        )  # fmt: skip


def _puts(langgraph: Peer) -> Iterator[Line]:
    for threads in THREADS:
        rates = puts.measure(threads, langgraph)
        yield _ratio(
            f"steps by LangGraph's PostgresSaver puts, {_threads(threads)}",
            rates, threads, PUT_GOALS[threads], "LangGraph",
        )  # fmt: skip


def _heartbeats(workers: int) -> Iterator[Line]:
    beats = heartbeats.measure(workers)
    who = f"{workers} worker{'s' if workers > 1 else ''}"
    yield Line(
        f"heartbeats that are HOT, {who}",
        100 * beats.hot,
        " %",
        95.0,
        True,
        f"{beats.renewed} leases renewed",
    )
    images = f"page images apart: {beats.images}, {beats.image_bytes / 1024:.0f} kB"
    yield Line(f"WAL of a heartbeat, {who}", beats.wal_bytes, " B", 220.0, False, images)


def _footprint(log: IO[str]) -> Iterator[Line]:
    found = footprint.measure(log)
    subject = f"a worker process with {footprint.RUNS} runs in flight:"
    yield Line(f"{subject} connections", found.connections, "", 5.0, False, "pool and heartbeat")
    told = f"of which its own (PSS) {found.proportional_mb:.0f} MB"
    yield Line(f"{subject} resident memory", found.resident_mb, " MB", 150.0, False, told)


def _long_loop() -> Line:
    loop = long_loop.measure()
    told = f"{loop.seconds:.1f} s, work alone {loop.worked:.1f} s, {loop.checkpoints} checkpoints"
    subject = f"a step of {long_loop.ITEMS} items of 1 ms, by its work alone"
    return Line(subject, loop.seconds / loop.worked, " ×", 1.02, False, told)


def _ratio(subject: str, rates: Rates, threads: int, goal: float, whose: str) -> Line:
    ours, theirs = 1000 * threads / rates.ours, 1000 * threads / rates.theirs
    told = f"{ours:.3f} ms ({rates.ours:.0f}/s), {whose} {theirs:.3f} ms ({rates.theirs:.0f}/s)"
    return Line(subject, rates.ratio, "", goal, True, told)


def _threads(threads: int) -> str:
    return f"{threads} thread{'s' if threads > 1 else ''}"
