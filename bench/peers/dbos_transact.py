"""DBOS Transact: workflows of nine steps that return the same small answer, called one after the other."""

from __future__ import annotations

import sys
from typing import Any

from dbos import DBOS

from bench.peers import serve
from bench.rounds import rate

STEPS = 9


@DBOS.step()
def step(number: int) -> dict[str, Any]:
    return {"reference": f"step_{number}-000417", "status": "accepted", "score": 712, "currency": "EUR"}


@DBOS.workflow()
def nine_steps(run_input: dict[str, str]) -> int:
    for number in range(1, STEPS + 1):
        step(number)
    return STEPS


def one_round(threads: int, workflows: int) -> float:
    mine = max(1, workflows // threads)

    def work(thread: int) -> int:
        for _ in range(mine):
            nine_steps({"order_ref": "PO-2026-0041", "channel": "portal"})
        return mine

    return rate(threads, work)


def main() -> None:
    DBOS(config={"name": "bench", "system_database_url": sys.argv[1], "log_level": "ERROR"})
    DBOS.launch()
    try:
        serve(one_round)
    finally:
        DBOS.destroy()


if __name__ == "__main__":
    main()
