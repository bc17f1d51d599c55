"""How many decimals a currency has, and what a euro buys of it in the price lists of this example."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

MINOR_UNITS = {"EUR": 2, "CHF": 2, "SEK": 2, "PLN": 2, "USD": 2, "JPY": 0}

# Price lists are kept at fixed rates, as suppliers print them: a look-up repeated must give the same price.
PER_EURO = {
    "EUR": Decimal("1"),
    "CHF": Decimal("0.94"),
    "SEK": Decimal("11.20"),
    "PLN": Decimal("4.28"),
    "USD": Decimal("1.09"),
    "JPY": Decimal("163"),
}


def rounded(amount: Decimal, currency: str) -> Decimal:
    """The amount as an invoice in that currency would print it."""
    return amount.quantize(Decimal(1).scaleb(-MINOR_UNITS[currency]), rounding=ROUND_HALF_UP)


def from_euros(euros: Decimal, currency: str) -> Decimal:
    return rounded(euros * PER_EURO[currency], currency)
