"""What became of a drain: its receipt, folded from the log. A worker that was killed writes none of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from runs import db


@dataclass(frozen=True)
class Receipt:
    """Runs by what became of them while a bound process held them, from the drain's mark to its end or until now.

    ``cut`` are those whose lease lapsed: retaken, held in doubt or blocked. ``resumed_after`` are the seconds
    from lapse to the next worker's claim (p50, p99, longest), None where nothing was retaken.
    """

    marked_at: datetime
    ended_at: datetime | None
    bound: int
    finished: int
    handed_over: int
    cut: int
    in_doubt: int
    landed_late: int
    refused: int
    held: int
    resumed_after: tuple[float, float, float] | None


def receipt(drain_id: int) -> Receipt | None:
    """The receipt of a drain, open or ended; None where there is no such drain."""
    found = db.within("receipt", drain_id=drain_id)
    if not found:
        return None
    seconds = found[0].pop("resumed_after")
    after = (float(seconds[0]), float(seconds[1]), float(seconds[2])) if seconds else None
    return Receipt(**found[0], resumed_after=after)
