"""The nine steps and the return, walked through by hand against real vendors."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from examples.purchase_orders import tariffs, workflow
from examples.purchase_orders.orders import Order, Orders
from examples.purchase_orders.returns import goods_return
from examples.purchase_orders.vendors.houses import DESKS, VENDORS
from examples.purchase_orders.vendors.process import Simulator
from examples.purchase_orders.workflow import po
from runs.context import Context, Parked
from runs.run import Run, mark
from runs.states import Guard, Status
from runs.workflow import Workflow

BOOK = Orders(seed=3)
ORDER = next(order for order in map(BOOK.order, range(1, 99)) if len(order.input["lines"]) == 6)


class Walk:
    """Drives one order through its steps, without a database and without a second worker."""

    def __init__(self, flow: Workflow, order: Order, signals: dict[str, Any] | None = None) -> None:
        self.flow = flow
        now = datetime.now(UTC)
        started = mark(flow.first.first_name, Status.STARTED, 1)
        self.run = Run(
            run_id=order.run_id,
            workflow=flow.name,
            owner="w1#a1",
            epoch=1,
            cursor=started,
            completed={},
            input=order.input,
            generation=0,
            entered_generation=0,
            first_started_at=now,
            may_send_until=None,
            signals=signals or {},
            claimed_at=now,
        )

    def lost(self) -> bool:
        return False

    def draining(self) -> bool:
        return False

    def seconds_left(self) -> float:
        return 30.0

    def before_send(self) -> None:
        pass

    def item_results(self) -> dict[str, Any]:
        return {}

    def save_items(self, items: list[dict[str, Any]], onward: dict[str, Any]) -> None:
        self.run.cursor = onward

    def through(self, last: str | None = None) -> dict[str, Any]:
        for step in self.flow.steps:
            self.run.cursor = mark(step.first_name, Status.STARTED, 1)
            self.run.completed[step.first_name] = step.body(Context(self.run, step, self))
            if step.first_name == last:
                break
        return self.run.completed


@pytest.fixture(autouse=True)
def vendors(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> Simulator:
    monkeypatch.setenv("VENDOR_SIMULATOR_URL", simulator.url)
    simulator.control(speed=5000)
    return simulator


def test_nine_steps_in_the_chapters_order_each_with_its_guard():
    assert [(step.first_name, step.guard, step.vendor_name) for step in po.steps] == [
        ("parse_request", Guard.REPEAT_OK, "Parsewell"),
        ("resolve_supplier", Guard.PURE, ""),
        ("quote", Guard.REPEAT_OK, "Pricebook"),
        ("credit_check", Guard.REPEAT_OK, "Creditline"),
        ("charge_card", Guard.UNPROTECTED, "Cardline"),
        ("book_shipment", Guard.PROBED, "Nordfracht"),
        ("activate_account", Guard.KEYED, "Accounts"),
        ("notify_buyer", Guard.REPEAT_OK, "Postmail"),
        ("notify_supplier", Guard.KEYED, "Postmail"),
    ]


def test_every_step_says_what_it_does_in_three_ways():
    for step in (*po.steps, *goods_return.steps):
        assert step.title and step.doing != step.title and step.saying.endswith(".")
    assert all(step.vendor_name in ("", *VENDORS) for step in po.steps)


def test_time_outs_leave_the_slowest_answer_time():
    effects = [step for step in po.steps if step.is_effect]
    pairs = [(step, desk) for step in effects for desk in DESKS.values() if desk.vendor == step.vendor_name]
    assert all(step.timeout > desk.ceiling for step, desk in pairs)


def test_a_run_of_a_median_order_waits_about_six_minutes():
    paths = ["pricebook/prices"] * 6 + ["postmail/messages", "postmail/portal"]
    paths += ["parsewell/parse", "creditline/enquiries", "cardline/charges"]
    paths += ["nordfracht/bookings", "accounts/activations"]
    chance = random.Random(1)
    runs = sorted(sum(DESKS[path].seconds(chance) for path in paths) for _ in range(2000))
    assert 320 < runs[1000] < 400


def test_an_order_goes_through_and_the_books_agree_with_its_results(vendors: Simulator):
    walk = Walk(po, ORDER)
    results = walk.through()
    spent, quote = vendors.books().spent(), results["quote"]
    assert spent["Cardline", quote["currency"]] == Decimal(quote["total"]) > 0
    parsed = po.find("parse_request")
    assert parsed is not None and parsed.price is not None
    ctx = Context(walk.run, parsed, walk)
    bill = parsed.price(ctx, results["parse_request"])
    assert bill is not None and bill.amount == spent["Parsewell", "EUR"]
    assert tariffs.freight(ctx).amount == spent["Nordfracht", "EUR"]
    assert tariffs.CREDIT_ENQUIRY.amount == spent["Creditline", "EUR"]


def test_each_line_is_looked_up_once_under_its_own_name(vendors: Simulator):
    results = Walk(po, ORDER).through(last="quote")
    looked_up = [call.item for call in vendors.books().for_run(ORDER.run_id) if call.vendor == "Pricebook"]
    assert looked_up == [line["sku"] for line in ORDER.input["lines"]]
    assert results["quote"]["line_items"] == 6


def test_a_shipment_is_found_again_by_what_the_run_knows(vendors: Simulator):
    walk = Walk(po, ORDER)
    booked = walk.through(last="book_shipment")["book_shipment"]
    step = po.find("book_shipment")
    assert step is not None
    assert workflow.find_shipment(Context(walk.run, step, walk)) == booked
    assert booked["reference"].startswith(ORDER.input["order_ref"])


def test_only_keyed_steps_send_a_key(vendors: Simulator):
    Walk(po, ORDER).through()
    sent = {call.step for call in vendors.books().calls if call.key}
    assert sent == {step.first_name for step in po.steps if step.guard is Guard.KEYED}


DEAR = next(
    back
    for back in (BOOK.goods_return(n, BOOK.order(n)) for n in range(1, 200))
    if sum(Decimal(line["unit_price"]) * line["qty"] for line in back.input["lines"]) > 5000
)
CHEAP = next(
    back
    for back in (BOOK.goods_return(n, BOOK.order(n)) for n in range(1, 200))
    if sum(Decimal(line["unit_price"]) * line["qty"] for line in back.input["lines"]) < 100
    and back.input["currency"] == "EUR"
)


def answered(payload: Any) -> dict[str, Any]:
    told = {"id": "s1", "name": "approve", "step": "approve_return", "generation": 0, "payload": payload}
    return {"told": [told]}


def test_a_cheap_return_waits_for_nobody():
    assert "refund_id" in Walk(goods_return, CHEAP).through()["refund"]


def test_a_dear_return_waits_for_a_manager():
    with pytest.raises(Parked) as parked:
        Walk(goods_return, DEAR).through()
    assert (parked.value.signal, parked.value.may) == ("approve", "manager")
    assert parked.value.seconds == pytest.approx(timedelta(days=2).total_seconds(), abs=5)


@pytest.mark.parametrize("payload", [{"approved": True}, None, "yes"])
def test_an_approved_return_is_refunded(payload: Any, vendors: Simulator):
    results = Walk(goods_return, DEAR, answered(payload)).through()
    assert results["refund"]["amount"] == results["check_return"]["amount"]


def test_a_refused_return_moves_no_money(vendors: Simulator):
    results = Walk(goods_return, DEAR, answered({"approved": False, "note": "used"})).through()
    assert results["refund"] == {"refunded": False}
    assert vendors.books().spent() == {}


def test_silence_for_two_days_accepts_a_return():
    walk = Walk(goods_return, DEAR)
    walk.run.first_started_at = datetime.now(UTC) - timedelta(days=2, minutes=1)
    assert walk.through(last="approve_return")["approve_return"]["accepted"] is True
