"""An empty list says which part of what was asked hides the rest, and how to take that part away."""

from __future__ import annotations

from dataclasses import dataclass

from runs.errors import TookTooLong
from runs.queries import ALL, Orders

from dashboard.filters.listing import Listing
from dashboard.filters.meaning import Filter, Known, understood

MOST = 6
SHOWN = 50


@dataclass(frozen=True)
class Hiding:
    """Without this part so many orders match; `url` is the list without it."""

    part: str
    orders: int
    url: str

    @property
    def shown(self) -> str:
        return f"{SHOWN}+" if self.orders > SHOWN else str(self.orders)


def hiding(reads: Orders, asked: Listing, state: str, filter: Filter, known: Known) -> list[Hiding]:
    """The parts of a filter without any one of which something matches. A count that takes too long is left out."""
    parts = [(str(word), filter.without(word), state) for word in filter.words[:MOST]]
    if state != ALL and "state" not in {word.key for word in filter.words}:
        parts.append((state.replace("_", " "), filter.text, ALL))
    found = []
    for part, text, among in parts:
        orders = _orders(reads, understood(text, known, among))
        if orders:
            url = asked.url(state="" if among == ALL and text else among, filter=text)
            found.append(Hiding(part, orders, url))
    return found


def _orders(reads: Orders, filter: Filter) -> int:
    """How many match, up to one more than is shown; 0 where that takes too long to say."""
    try:
        with reads.bounded():
            page = reads.page(filter.wanted, limit=SHOWN)
            return len(page.lines) + bool(page.further)
    except TookTooLong:
        return 0
