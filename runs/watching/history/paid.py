"""What was paid for one order: a line a call, and a sum for each currency. Ours and the buyer's money stand apart."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from runs.watching.history.calls import Call, Known


@dataclass(frozen=True)
class Sum:
    """In one currency: what is known to have been paid, what may have been besides, and what is asked for now."""

    currency: str
    known: Decimal = Decimal(0)
    perhaps: Decimal = Decimal(0)
    asked: Decimal = Decimal(0)
    twice: Decimal = Decimal(0)


@dataclass(frozen=True)
class Paid:
    """`without_price` counts calls whose step declares no amount before the call: they are in no sum."""

    calls: list[Call]
    sums: list[Sum]
    without_price: int


def paid(calls: list[Call], is_charge: bool) -> Paid:
    """The ledger of what we pay, or of what the buyer is charged."""
    mine = [call for call in calls if call.is_charge is is_charge and call.known is not Known.NO]
    priced = [call for call in mine if call.amount is not None]
    currencies = sorted({call.amount[1] for call in priced if call.amount})
    return Paid(priced, [_sum(priced, currency) for currency in currencies], len(mine) - len(priced))


def _sum(calls: list[Call], currency: str) -> Sum:
    def total(*known: Known, twice: bool = False) -> Decimal:
        return sum(
            (c.amount[0] for c in calls
             if c.amount and c.amount[1] == currency and c.known in known and (not twice or c.twin == "bought twice")),
            Decimal(0),
        )  # fmt: skip

    return Sum(
        currency, total(Known.YES), total(Known.PERHAPS), total(Known.UNDER_WAY), total(Known.YES, twice=True)
    )
