"""The incident's sizes and times, and what they become at another speed."""

from __future__ import annotations

import math
from dataclasses import dataclass

# The chapter's deploy, in seconds of real vendors.
DEPLOY_SECONDS = 90.0
GRACE_SECONDS = 30.0
TTL_SECONDS = 30.0
SWEEP_SECONDS = 5.0
# Orders come in over this long. The quickest run takes longer, so none is finished when the last comes in,
# and when the deploy begins they stand at every step up to the carrier.
ARRIVAL_SECONDS = 150.0
# Below this a lease would lapse because a busy machine was late, and not because a worker died.
TTL_FLOOR_SECONDS = 6.0
# Two cores carry this many orders a second of real time; faster vendors would only make a queue for the cores.
ORDERS_A_SECOND = 24.0
FASTEST, SLOWEST = 12.0, 1.0


class PlanRefused(ValueError):
    """The replay cannot be done with these numbers; the message is one sentence and names the remedy."""


@dataclass(frozen=True)
class Plan:
    runs: int
    workers: int
    threads: int
    speed: float
    naive: bool = False
    seed: int = 2026
    slow: tuple[tuple[str, float], ...] = ()  # vendors that take so many times longer than usual

    def __post_init__(self) -> None:
        if self.runs > self.workers * self.threads:
            raise PlanRefused(
                f"{self.workers} workers with {self.threads} threads hold {self.workers * self.threads} runs in flight, "
                f"not {self.runs}: raise --workers or --threads, or lower --runs."
            )

    @property
    def ttl(self) -> float:
        return max(TTL_FLOOR_SECONDS, TTL_SECONDS / self.speed)

    @property
    def heartbeat(self) -> float:
        """A third of the TTL, rounded down: a worker refuses to start with a hair more."""
        return math.floor(self.ttl * 1000 / 3) / 1000

    @property
    def sweep(self) -> float:
        return self.ttl * SWEEP_SECONDS / TTL_SECONDS

    @property
    def grace(self) -> float:
        return GRACE_SECONDS / self.speed

    @property
    def pace(self) -> float:
        """Seconds between the SIGTERMs of two workers."""
        return DEPLOY_SECONDS / self.speed / self.workers

    @property
    def arrival(self) -> float:
        return ARRIVAL_SECONDS / self.speed


def fitting_speed(runs: int) -> float:
    """The speed at which vendors, and not the cores of a small machine, are what runs wait for."""
    return round(min(FASTEST, max(SLOWEST, ORDERS_A_SECOND * ARRIVAL_SECONDS / runs)), 1)
