"""LangGraph's PostgresSaver: one put a step, whose state gains the same small answer."""

from __future__ import annotations

import itertools
import sys
from contextlib import ExitStack
from typing import Any

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.postgres import PostgresSaver

from bench.peers import serve
from bench.rounds import rate

STEPS = 9

_numbers = itertools.count()


def answer(step: int) -> dict[str, Any]:
    return {"reference": f"step_{step}-000417", "status": "accepted", "score": 712, "currency": "EUR"}


def drive(saver: PostgresSaver) -> None:
    """One run of nine steps: each put names its channel's new version, as a graph's loop does."""
    config: Any = {"configurable": {"thread_id": f"run-{next(_numbers)}", "checkpoint_ns": ""}}
    values: dict[str, Any] = {}
    versions: dict[str, str] = {}
    for step in range(1, STEPS + 1):
        channel = f"step_{step}"
        values[channel] = answer(step)
        versions[channel] = f"{step:032}.5"
        checkpoint = {
            **empty_checkpoint(),
            "id": str(uuid6(clock_seq=step)),
            "channel_values": dict(values),
            "channel_versions": dict(versions),
        }
        metadata: Any = {"source": "loop", "step": step, "parents": {}}
        config = saver.put(config, checkpoint, metadata, {channel: versions[channel]})


def main() -> None:
    with ExitStack() as opened:
        savers: list[PostgresSaver] = []

        def one_round(threads: int, puts: int) -> float:
            while len(savers) < threads:
                savers.append(opened.enter_context(PostgresSaver.from_conn_string(sys.argv[1])))
            runs = max(1, puts // STEPS // threads)

            def work(thread: int) -> int:
                for _ in range(runs):
                    drive(savers[thread])
                return runs * STEPS

            return rate(threads, work)

        with PostgresSaver.from_conn_string(sys.argv[1]) as first:
            first.setup()
        serve(one_round)


if __name__ == "__main__":
    main()
