"""The two messages that end an order."""

from __future__ import annotations

from typing import Any

from runs.workflow import Context


def to_buyer(ctx: Context) -> dict[str, Any]:
    buyer, quote, shipment = ctx.input["buyer"], ctx.results["quote"], ctx.results["book_shipment"]
    days = shipment["pickup_in_days"]
    text = (
        f"Dear {buyer['contact']}, your order {ctx.input['order_ref']} (your reference: "
        f"{ctx.input['buyer_reference']}) is confirmed at {quote['total']} {quote['currency']}. "
        f"The carrier collects it in {days} {'day' if days == 1 else 'days'} under {shipment['booking']}."
    )
    return {"to": buyer["email"], "subject": f"Order {ctx.input['order_ref']} confirmed", "text": text}


def to_supplier(ctx: Context) -> dict[str, Any]:
    supplier = ctx.results["resolve_supplier"]
    return {
        "portal": supplier["supplier_id"],
        "order_ref": ctx.input["order_ref"],
        "terms": supplier["terms"],
        "pickup": ctx.results["book_shipment"]["booking"],
        "lines": [{"sku": line["sku"], "qty": line["qty"]} for line in ctx.input["lines"]],
    }


def about_return(ctx: Context) -> dict[str, Any]:
    refund, order = ctx.results["refund"], ctx.input["purchase_order"]
    outcome = (
        f"we have refunded {refund['amount']} {refund['currency']}"
        if "refund_id" in refund
        else "we could not accept the goods and send them back to you"
    )
    text = f"Dear {ctx.input['buyer']['contact']}, for your return of order {order} {outcome}."
    return {"to": ctx.input["buyer"]["email"], "subject": f"Return {ctx.input['order_ref']}", "text": text}
