"""An amount with its currency; never a float, never without a currency."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation


@dataclass(frozen=True)
class Money:
    """``Money("0.40", "EUR")``. Currencies are never added to one another."""

    amount: Decimal
    currency: str

    def __init__(self, amount: Decimal | str | int, currency: str) -> None:
        if isinstance(amount, float):
            raise TypeError(f"Money is exact: write Money({str(amount)!r}, {currency!r}), not a float.")
        try:
            exact = Decimal(amount)
        except InvalidOperation as error:
            raise ValueError(f"{amount!r} is no amount of money.") from error
        if not exact.is_finite():
            raise ValueError(f"{amount!r} is no amount of money.")
        object.__setattr__(self, "amount", exact)
        object.__setattr__(self, "currency", currency.upper())

    def as_json(self) -> dict[str, str]:
        return {"amount": str(self.amount), "currency": self.currency}

    def __add__(self, other: Money) -> Money:
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} cannot be added.")
        return Money(self.amount + other.amount, self.currency)

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}"
