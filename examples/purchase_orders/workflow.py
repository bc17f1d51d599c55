"""A purchase order in nine steps, from the buyer's request to the supplier's portal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from examples.purchase_orders import letters, tariffs
from examples.purchase_orders.catalogue import SUPPLIERS, number
from examples.purchase_orders.client import find, post, scaled
from examples.purchase_orders.partners import (
    accounts,
    cardline,
    creditline,
    nordfracht,
    parsewell,
    patient,
    postmail,
    pricebook,
)
from examples.purchase_orders.returns import goods_return
from runs.workflow import Context, KeyMemory, Label, Promise, Workflow

# This module is the one that workers are told of, so it names every workflow of the example.
__all__ = ["goods_return", "po"]

po = Workflow(
    "purchase_order",
    labels=[
        Label("buyer", "input.buyer.name", searchable=True),
        Label("amount", "quote.total", money="quote.currency"),
        Label("reference", "input.buyer_reference", searchable=True),
        Label("supplier", "resolve_supplier.name", searchable=True),
    ],
    # Buyers are promised an acknowledgement within five minutes; a charged card is what we acknowledge.
    promise=Promise(until="charge_card", within=timedelta(minutes=5)),
    renamed={},
)


@po.effect(
    title="Read the request",
    doing="reading the request",
    saying="We are reading your order.",
    vendor=parsewell,
    timeout=scaled(300),
    price=tariffs.tokens,
    money="fee",
    repeat_ok=True,
    retry=patient,
)
def parse_request(ctx: Context) -> dict[str, Any]:
    wanted = ("order_ref", "channel", "urgency", "buyer", "lines")
    return post(ctx, "parsewell/parse", {part: ctx.input[part] for part in wanted})


@po.step(
    title="Choose the supplier",
    doing="choosing the supplier",
    saying="We are choosing the supplier for your order.",
)
def resolve_supplier(ctx: Context) -> dict[str, Any]:
    # The article that heads the order decides; suppliers are few and contracts are by article family.
    family = ctx.input["lines"][0]["sku"].partition("-")[0]
    return dict(SUPPLIERS[int(number(family)) % len(SUPPLIERS)])


@po.effect(
    title="Price the order",
    doing="looking up the prices",
    saying="We are pricing your order, line by line.",
    vendor=pricebook,
    timeout=scaled(10),
    repeat_ok=True,
    retry=patient,
)
def quote(ctx: Context) -> dict[str, Any]:
    lines, currency = ctx.input["lines"], ctx.input["currency"]
    for item in ctx.items(lines, key=lambda line: line["sku"]):
        article = {"sku": item.key, "quantity": item.value["qty"], "currency": currency}
        item.save(post(ctx, "pricebook/prices", article))
    prices = {sku: found["unit_price"] for sku, found in ctx.item_results.items()}
    total = tariffs.total(lines, prices, currency)
    return {"total": str(total.amount), "currency": currency, "line_items": len(lines)}


@po.effect(
    title="Check the credit",
    doing="checking the credit",
    saying="We are checking your credit; this can take a minute.",
    vendor=creditline,
    timeout=scaled(90),
    amount=lambda ctx: tariffs.CREDIT_ENQUIRY,
    money="fee",
    repeat_ok=True,
    retry=patient,
    harm="Each enquiry leaves an entry on the buyer's credit file.",
)
def credit_check(ctx: Context) -> dict[str, Any]:
    buyer = ctx.input["buyer"]
    return post(ctx, "creditline/enquiries", {"company": buyer["name"], "vat_id": buyer["vat_id"]})


@po.effect(
    title="Charge the card",
    doing="charging the card",
    saying="We are charging your card.",
    vendor=cardline,
    timeout=scaled(60),
    amount=tariffs.quoted,
    money="charge",
    retry=patient,
    decides="manager",
    within=timedelta(minutes=30),
    check="Search Cardline's payments for the order number and compare amount and time.",
)
def charge_card(ctx: Context) -> dict[str, Any]:
    price = tariffs.quoted(ctx)
    card = {"account": ctx.input["buyer"]["account"], "reference": ctx.input["order_ref"]}
    return post(ctx, "cardline/charges", {"amount": str(price.amount), "currency": price.currency, **card})


def shipment_reference(ctx: Context) -> str:
    """What the carrier files the booking under: readable on the phone, and new for every intended doing."""
    return f"{ctx.input['order_ref']}-{ctx.idempotency_key[:6]}"


def find_shipment(ctx: Context) -> dict[str, Any] | None:
    return find(ctx, "nordfracht/bookings", shipment_reference(ctx))


@po.effect(
    title="Book the shipment",
    doing="booking the shipment",
    saying="We are booking the carrier for your goods.",
    vendor=nordfracht,
    timeout=scaled(240),
    amount=tariffs.freight,
    money="fee",
    probe=find_shipment,
    settle=scaled(30, floor=2),
    retry=patient,
    decides="ops",
    within=timedelta(hours=2),
    check="Look the shipment up in Nordfracht's portal: its reference begins with the order number.",
)
def book_shipment(ctx: Context) -> dict[str, Any]:
    rate, deliver_to = tariffs.freight(ctx), ctx.results["parse_request"]["deliver_to"]
    booking = {"rate": str(rate.amount), "currency": rate.currency, "deliver_to": deliver_to}
    return post(ctx, "nordfracht/bookings", {"reference": shipment_reference(ctx), **booking})


@po.effect(
    title="Activate the account",
    doing="activating the account",
    saying="We are opening your account for follow-up orders.",
    vendor=accounts,
    timeout=scaled(150),
    keyed=KeyMemory(hours=24),
    retry=patient,
)
def activate_account(ctx: Context) -> dict[str, Any]:
    account = {"account": ctx.results["parse_request"]["buyer_id"]}
    return post(ctx, "accounts/activations", account, key=ctx.idempotency_key)


@po.effect(
    title="Write to the buyer",
    doing="writing to the buyer",
    saying="We are sending your confirmation.",
    vendor=postmail,
    timeout=scaled(150),
    repeat_ok=True,
    retry=patient,
    harm="The buyer may get the confirmation twice.",
)
def notify_buyer(ctx: Context) -> dict[str, Any]:
    return post(ctx, "postmail/messages", letters.to_buyer(ctx))


@po.effect(
    title="Pass the order on",
    doing="passing the order to the supplier",
    saying="We are passing your order to the supplier.",
    vendor=postmail,
    timeout=scaled(150),
    keyed=KeyMemory(hours=24),
    retry=patient,
)
def notify_supplier(ctx: Context) -> dict[str, Any]:
    return post(ctx, "postmail/portal", letters.to_supplier(ctx), key=ctx.idempotency_key)
