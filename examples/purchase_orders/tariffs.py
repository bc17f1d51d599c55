"""What the example pays and charges, as agreed with its vendors."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from examples.purchase_orders.currencies import rounded
from runs.workflow import Context, Money

CREDIT_ENQUIRY = Money("0.40", "EUR")
TOKENS_IN, TOKENS_OUT = Decimal("3.00"), Decimal("15.00")
FREIGHT_BASE, FREIGHT_A_LINE = Decimal("48.00"), Decimal("1.35")


def tokens(ctx: Context, result: dict[str, Any]) -> Money:
    """Parsewell bills by the million tokens and says in its answer how many it took."""
    used = result["usage"]
    bill = used["input_tokens"] * TOKENS_IN + used["output_tokens"] * TOKENS_OUT
    return Money(bill / 1_000_000, "EUR")


def freight(ctx: Context) -> Money:
    """Nordfracht's rate depends on what is known before the booking."""
    return Money(FREIGHT_BASE + FREIGHT_A_LINE * len(ctx.input["lines"]), "EUR")


def quoted(ctx: Context) -> Money:
    quote = ctx.results["quote"]
    return Money(quote["total"], quote["currency"])


def total(lines: list[dict[str, Any]], unit_prices: dict[str, str], currency: str) -> Money:
    amounts = (Decimal(unit_prices[line["sku"]]) * line["qty"] for line in lines)
    return Money(rounded(sum(amounts, Decimal(0)), currency), currency)
