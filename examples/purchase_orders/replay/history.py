"""What one side of the replay says happened: who held a run when, what was begun and done, how each hold ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from itertools import pairwise

from examples.purchase_orders.workflow import po
from runs.workflow import Guard

ORDER = {step.first_name: n for n, step in enumerate(po.steps)}
GUARD = {step.first_name: step.guard for step in po.steps}
VENDOR = {step.first_name: step.vendor_name for step in po.steps}
EFFECTS = {name for name, guard in GUARD.items() if guard is not Guard.PURE}
# A step with a loop calls nobody before its first item is begun.
LOOPING = {"quote"}

Money = tuple[Decimal, str]


class End(StrEnum):
    """How a hold ended."""

    OPEN = "open"
    HANDED_OVER = "handed over"
    CUT = "cut"  # its worker died
    LOST = "lost"  # its worker lived, and the lease lapsed
    RETRY = "retry"
    DOUBT = "in doubt"  # by its own worker, which had waited for the answer long enough
    OVER = "over"


@dataclass(frozen=True)
class Mark:
    """A step, or one item of it, was begun or done."""

    step: str
    at: float
    done: bool = False
    item: str | None = None
    again: bool = False  # an earlier attempt at the same call may have reached the vendor
    amount: Money | None = None


@dataclass
class Hold:
    """One worker's time with one run."""

    run_id: str
    owner: str
    epoch: int
    since: float
    until: float = 0.0
    end: End = End.OPEN
    marks: list[Mark] = field(default_factory=list)
    inside: str | None = None  # the step that was begun and not done when the worker died

    @property
    def key(self) -> tuple[str, str, int]:
        return self.run_id, self.owner, self.epoch

    def close(self, end: End, at: float) -> None:
        if self.end is End.OPEN:
            self.end, self.until = end, at


@dataclass
class Repeat:
    """A step that began again after it was done."""

    hold: Hold
    step: str
    at: float


@dataclass
class History:
    """All holds by run, in their order, and where each run stands at the end."""

    holds: dict[str, list[Hold]]
    status: dict[str, str]
    died: dict[str, float]  # when each worker's process ended, by owner
    prices: dict[str, Money]  # what reading each run's request costs

    def every(self) -> Iterator[Hold]:
        for holds in self.holds.values():
            yield from holds

    def ended(self, end: End) -> list[Hold]:
        return [hold for hold in self.every() if hold.end is end]

    def at(self, status: str) -> set[str]:
        return {run_id for run_id, stands in self.status.items() if stands == status}

    def repeats(self) -> list[Repeat]:
        found = []
        for holds in self.holds.values():
            done: set[str] = set()
            for hold in holds:
                for mark in hold.marks:
                    if mark.done:
                        done.add(mark.step)
                    elif mark.item is None and mark.step in done:
                        found.append(Repeat(hold, mark.step, mark.at))
        return found

    def bought_again(self) -> list[tuple[Hold, Mark]]:
        """Calls made again although an earlier attempt may have reached the vendor, and it has no key to know it by."""
        return [
            (hold, mark)
            for hold in self.every()
            for mark in hold.marks
            if mark.again and (mark.item is not None or mark.step not in LOOPING)
        ]

    def price(self, run_id: str, mark: Mark) -> Money | None:
        return self.prices.get(run_id) if mark.step == "parse_request" else mark.amount

    def followed(self, end: End) -> list[tuple[Hold, Hold, float]]:
        """Each hold that ended like this and that another followed, and the seconds until that one's claim:
        after a cut from the worker's death, else from the hand-over."""
        return [
            (hold, after, after.since - (self.died[hold.owner] if end is End.CUT else hold.until))
            for holds in self.holds.values()
            for hold, after in pairwise(holds)
            if hold.end is end
        ]
