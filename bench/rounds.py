"""Two sides in alternating short rounds: what the machine does meanwhile befalls both, and medians drop the rest."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

# One round: the operations per second that a side reached.
Round = Callable[[], float]


@dataclass(frozen=True)
class Rates:
    """Medians over all rounds: our rate by theirs, round by round, and either side's operations per second."""

    ratio: float
    ours: float
    theirs: float


def alternate(ours: Round, theirs: Round, rounds: int) -> Rates:
    """Run both sides by turns, each going first in every other round. The first pair only warms up."""
    pairs = []
    for number in range(rounds + 1):
        if number % 2:
            first = ours()
            pairs.append((first, theirs()))
        else:
            last = theirs()
            pairs.append((ours(), last))
    kept = pairs[1:]
    return Rates(
        statistics.median(a / b for a, b in kept),
        statistics.median(a for a, _ in kept),
        statistics.median(b for _, b in kept),
    )


def rate(threads: int, work: Callable[[int], int]) -> float:
    """Operations per second of so many threads; each gets its number and returns how many it did."""
    done = [0] * threads
    gate = threading.Barrier(threads + 1)
    failures: list[BaseException] = []

    def run(number: int) -> None:
        gate.wait()
        try:
            done[number] = work(number)
        except BaseException as failure:
            failures.append(failure)

    crew = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in crew:
        thread.start()
    gate.wait()
    began = time.perf_counter()
    for thread in crew:
        thread.join()
    seconds = time.perf_counter() - began
    if failures:
        raise failures[0]
    return sum(done) / seconds
