"""The figures of one replay, from either witness, in one shape."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from examples.purchase_orders.replay.from_books import Witness
from examples.purchase_orders.replay.history import VENDOR, End, History

# The currency of calls that cost nothing.
FREE = ""
PARTS = ("p50", "p99", "max")


@dataclass(frozen=True)
class Recovery:
    """Seconds from the death of a run's worker until somebody took it up again."""

    p50: float
    p99: float
    max: float

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Recovery | None:
        ranked = sorted(seconds)
        if not ranked:
            return None
        return cls(*(round(ranked[_rank(len(ranked), share)], 3) for share in (0.50, 0.99, 1.0)))


@dataclass(frozen=True)
class Duplicate:
    vendor: str
    calls: int
    amount: Decimal
    currency: str


@dataclass(frozen=True)
class Figures:
    finished: int
    handed_over: int
    cut: int
    in_doubt: int
    steps_repeated: int
    duplicates: list[Duplicate]
    recovery: Recovery | None
    waited: Recovery | None  # after a hand-over; the books cannot tell that from a cut between two calls

    def calls(self, vendor: str) -> int:
        return sum(duplicate.calls for duplicate in self.duplicates if duplicate.vendor == vendor)

    def as_json(self) -> dict[str, Any]:
        return {
            "finished": self.finished,
            "handed_over": self.handed_over,
            "cut": self.cut,
            "in_doubt": self.in_doubt,
            "steps_repeated": self.steps_repeated,
            "duplicates": [
                {
                    "vendor": d.vendor,
                    "calls": d.calls,
                    "amount": str(d.amount),
                    "currency": d.currency or None,
                }
                for d in self.duplicates
            ],
            "recovery_seconds": {part: getattr(self.recovery, part, None) for part in PARTS},
        }


def from_record(history: History) -> Figures:
    bought = [(VENDOR[mark.step], history.price(hold.run_id, mark)) for hold, mark in history.bought_again()]
    return Figures(
        finished=len(history.at("done")),
        handed_over=len(history.ended(End.HANDED_OVER)),
        cut=len(history.ended(End.CUT)),
        in_doubt=len(history.at("in_doubt")),
        steps_repeated=len(history.repeats()),
        duplicates=_added((vendor, *(price or (Decimal(0), FREE))) for vendor, price in bought),
        recovery=Recovery.of(seconds for _, _, seconds in history.followed(End.CUT)),
        waited=Recovery.of(seconds for _, _, seconds in history.followed(End.HANDED_OVER)),
    )


def from_books(witness: Witness) -> Figures:
    repeats = witness.books.repeats(by_generation=True)
    return Figures(
        finished=len(witness.finished()),
        handed_over=len(witness.handed_over()),
        cut=len(witness.cut()),
        in_doubt=len(witness.unanswered()),
        steps_repeated=len(witness.repeats()),
        duplicates=_added((call.vendor, call.amount, call.currency or FREE) for call in repeats),
        recovery=Recovery.of(seconds for _, _, seconds in witness.recoveries()),
        waited=None,
    )


def _added(calls: Iterable[tuple[str, Decimal, str]]) -> list[Duplicate]:
    """By vendor and currency; currencies are never added together."""
    counts: Counter[tuple[str, str]] = Counter()
    sums: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for vendor, amount, currency in calls:
        counts[vendor, currency] += 1
        sums[vendor, currency] += amount
    return [Duplicate(vendor, counts[vendor, currency], sums[vendor, currency], currency)
            for vendor, currency in sorted(counts)]  # fmt: skip


def _rank(size: int, share: float) -> int:
    """The nearest rank: a delay that really happened."""
    return math.ceil(round(share * size, 6)) - 1
