"""Steps per second, beside the puts of LangGraph's PostgresSaver, which neither fence nor log."""

from __future__ import annotations

from bench import commits
from bench.nine_steps import STEPS
from bench.peer import Peer
from bench.rounds import Rates, alternate
from runs import db

ROUNDS = 17


def measure(threads: int, peer: Peer) -> Rates:
    """Commits per second through the engine, by puts per second of as many threads, each with a saver of its own."""
    puts = commits.RUNS[threads] * threads * len(STEPS)
    with db.connect() as conn:
        return alternate(commits.ours(conn, threads), lambda: peer.round(threads, puts), ROUNDS)
