"""The vendors: how long each takes, what it bills, what it answers."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from examples.purchase_orders.catalogue import number, unit_price

Body = dict[str, Any]
Bill = tuple[Decimal, str] | None
Answer = Callable[[str, Body], tuple[Body, Bill]]


@dataclass(frozen=True)
class Desk:
    """One thing that one vendor does, reachable under one path.

    `median` and `ceiling` are seconds at speed 1; `apply_share` is the part of them after which the effect
    has happened. `refusal` is the status by which this vendor says no after judging a request. A findable
    effect can be looked up by the reference that its request carried.
    """

    vendor: str
    action: str
    median: float
    spread: float
    ceiling: float
    apply_share: float
    answer: Answer
    refusal: int = 422
    honours_keys: bool = False
    findable: bool = False

    def seconds(self, chance: random.Random) -> float:
        return min(self.ceiling, self.median * math.exp(self.spread * chance.gauss(0.0, 1.0)))


# Euros for a million tokens, in and out.
TOKEN_PRICES = (Decimal("3.00"), Decimal("15.00"))


def parse(call: str, body: Body) -> tuple[Body, Bill]:
    lines = list(body.get("lines", []))
    tokens_in = 13_600 + 9 * len(lines) + int(number(body.get("order_ref"), "in", digits=3))
    tokens_out = 420 + 11 * len(lines)
    bill = (tokens_in * TOKEN_PRICES[0] + tokens_out * TOKEN_PRICES[1]) / 1_000_000
    buyer = dict(body.get("buyer", {}))
    answer = {
        "buyer_id": buyer.get("account", "acct_" + number(buyer.get("name"), digits=4)),
        "urgency": body.get("urgency", "standard"),
        "deliver_to": {part: buyer.get(part) for part in ("street", "postcode", "city", "country")},
        "lines": len(lines),
        "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out},
    }
    return answer, (bill, "EUR")


def price(call: str, body: Body) -> tuple[Body, Bill]:
    sku, currency = body["sku"], body["currency"]
    in_stock = int(number(sku, "stock", digits=3)) + 5
    answer = {"sku": sku, "unit_price": str(unit_price(sku, currency)), "currency": currency}
    return answer | {"in_stock": in_stock}, None


def enquire(call: str, body: Body) -> tuple[Body, Bill]:
    score = 560 + int(number(body["company"], "score", digits=4)) % 260
    answer = {
        "enquiry_id": "cl_" + number(call),
        "score": score,
        "decision": "approved",
        "hard_enquiry": True,
    }
    return answer, (Decimal("0.40"), "EUR")


def charge(call: str, body: Body) -> tuple[Body, Bill]:
    answer = {
        "charge_id": "ch_" + number(call, digits=12),
        "amount": body["amount"],
        "currency": body["currency"],
    }
    return answer, (Decimal(body["amount"]), body["currency"])


def refund(call: str, body: Body) -> tuple[Body, Bill]:
    answer = {
        "refund_id": "re_" + number(call, digits=12),
        "amount": body["amount"],
        "currency": body["currency"],
    }
    return answer, (Decimal(body["amount"]), body["currency"])


def book(call: str, body: Body) -> tuple[Body, Bill]:
    answer = {
        "booking": "NF" + number(call, digits=9),
        "reference": body["reference"],
        "pickup_in_days": 1 + int(number(body["reference"], "days", digits=2)) % 4,
    }
    return answer, (Decimal(body["rate"]), body["currency"])


def activate(call: str, body: Body) -> tuple[Body, Bill]:
    return {"account": body["account"], "active": True}, None


def mail(call: str, body: Body) -> tuple[Body, Bill]:
    return {"message_id": f"{number(call, digits=14)}@postmail.example"}, None


def deliver(call: str, body: Body) -> tuple[Body, Bill]:
    return {"message_id": f"{number(call, digits=14)}@portal.postmail.example", "delivered": True}, None


# A run of a median order waits about six minutes on these, most of it for the parse, the carrier, the
# ledger of accounts and the mails; the credit bureau answers in seconds with a tail to a minute.
DESKS: dict[str, Desk] = {
    "parsewell/parse": Desk("Parsewell", "parse", 105, 0.25, 200, 0.02, parse),
    "pricebook/prices": Desk("Pricebook", "price", 0.18, 0.05, 0.4, 0.0, price),
    "creditline/enquiries": Desk("Creditline", "enquire", 9, 0.7, 60, 0.15, enquire),
    "cardline/charges": Desk("Cardline", "charge", 4, 0.35, 20, 0.3, charge, refusal=402, honours_keys=True),
    "cardline/refunds": Desk("Cardline", "refund", 4, 0.35, 20, 0.3, refund, honours_keys=True),
    "nordfracht/bookings": Desk("Nordfracht", "book", 80, 0.3, 160, 0.5, book, findable=True),
    "accounts/activations": Desk("Accounts", "activate", 45, 0.3, 100, 0.3, activate, honours_keys=True),
    "postmail/messages": Desk("Postmail", "mail", 45, 0.35, 110, 0.1, mail, honours_keys=True),
    "postmail/portal": Desk("Postmail", "deliver", 45, 0.35, 110, 0.1, deliver, honours_keys=True),
}
FINDABLE = {(desk.vendor, desk.action) for desk in DESKS.values() if desk.findable}
VENDORS = sorted({desk.vendor for desk in DESKS.values()})
LOOK_UP_SECONDS = 0.6
