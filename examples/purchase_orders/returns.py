"""A return of goods: a dear one waits for a manager, and for two days at most."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

from examples.purchase_orders import letters, tariffs
from examples.purchase_orders.client import post, scaled
from examples.purchase_orders.currencies import PER_EURO
from examples.purchase_orders.partners import cardline, patient, postmail
from runs.workflow import Context, KeyMemory, Label, Money, Workflow

# In euros; the terms of sale say that what nobody objects to within two days is accepted.
NEEDS_A_MANAGER = Decimal("250")
SILENCE_ACCEPTS = timedelta(days=2)

goods_return = Workflow(
    "goods_return",
    labels=[
        Label("buyer", "input.buyer.name", searchable=True),
        Label("amount", "check_return.amount", money="check_return.currency"),
        Label("reference", "input.buyer_reference", searchable=True),
        Label("order", "input.purchase_order", searchable=True),
    ],
)


def refundable(ctx: Context) -> Money | None:
    checked = ctx.results["check_return"]
    if not ctx.results["approve_return"]["accepted"]:
        return None
    return Money(checked["amount"], checked["currency"])


@goods_return.step(
    title="Check the return",
    doing="checking the return",
    saying="We are checking what you sent back.",
)
def check_return(ctx: Context) -> dict[str, Any]:
    lines, currency = ctx.input["lines"], ctx.input["currency"]
    amount = tariffs.total(lines, {line["sku"]: line["unit_price"] for line in lines}, currency).amount
    return {
        "amount": str(amount),
        "currency": currency,
        "needs_a_manager": amount / PER_EURO[currency] > NEEDS_A_MANAGER,
    }


@goods_return.step(
    title="Approve the return",
    doing="waiting for a manager's approval",
    saying="A colleague is looking at your return; you hear from us within two days.",
)
def approve_return(ctx: Context) -> dict[str, Any]:
    if not ctx.results["check_return"]["needs_a_manager"]:
        return {"accepted": True, "by": "terms of sale"}
    answer = ctx.wait_for_signal("approve", may="manager", within=SILENCE_ACCEPTS)
    told = answer if isinstance(answer, dict) else {}
    return {"accepted": told.get("approved") is not False, "note": told.get("note", "")}


@goods_return.effect(
    title="Refund the buyer",
    doing="refunding the buyer",
    saying="We are refunding your money.",
    vendor=cardline,
    timeout=scaled(60),
    amount=refundable,
    money="fee",
    keyed=KeyMemory(hours=24),
    retry=patient,
    decides="manager",
    within=timedelta(hours=4),
    check="Search Cardline's refunds for the number of the return.",
)
def refund(ctx: Context) -> dict[str, Any]:
    money = refundable(ctx)
    if money is None:
        return {"refunded": False}
    card = {"account": ctx.input["buyer"]["account"], "reference": ctx.input["order_ref"]}
    body = {"amount": str(money.amount), "currency": money.currency, **card}
    return post(ctx, "cardline/refunds", body, key=ctx.idempotency_key)


@goods_return.effect(
    title="Write to the buyer",
    doing="writing to the buyer",
    saying="We are telling you how your return ended.",
    vendor=postmail,
    timeout=scaled(150),
    repeat_ok=True,
    retry=patient,
    harm="The buyer may get the message twice.",
)
def notify_return(ctx: Context) -> dict[str, Any]:
    return post(ctx, "postmail/messages", letters.about_return(ctx))
