"""Peers to compare with. These modules run in the peers' virtual environment and import nothing of ours but bench.rounds."""

from __future__ import annotations

import sys
from collections.abc import Callable

READY = "ready"


def serve(one_round: Callable[[int, int], float]) -> None:
    """The far end of the line: a round for each "<threads> <operations>", until the near end hangs up."""
    print(READY, flush=True)
    for line in sys.stdin:
        threads, operations = map(int, line.split())
        print(one_round(threads, operations), flush=True)
