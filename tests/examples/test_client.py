"""What each answer of a vendor means for the run, against real vendors."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest

from examples.purchase_orders import client, workflow
from examples.purchase_orders.client import VendorFailed, find, post, scaled
from examples.purchase_orders.vendors.process import Simulator
from runs.context import Context
from runs.declare import Step
from runs.run import Run
from runs.workflow import KeyInUse, NotSent, Refused
from tests.examples.conftest import BODIES

CHARGE = BODIES["cardline/charges"]


class Worker:
    """Stands where the worker stands: it holds the lease and has plenty of it left."""

    def __init__(self) -> None:
        self.left = 20.0

    def lost(self) -> bool:
        return False

    def draining(self) -> bool:
        return False

    def seconds_left(self) -> float:
        return self.left


@pytest.fixture
def context(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Context]:
    monkeypatch.setenv("VENDOR_SIMULATOR_URL", simulator.url)

    def make(step: str = "charge_card", run_id: str = "run_a", timeout: float | None = None) -> Context:
        declared = workflow.po.find(step)
        assert declared is not None
        seconds = declared.timeout if timeout is None else timeout
        cursor = {"step": step, "status": "started", "attempt": 2, "item": None}
        run = Run(run_id=run_id, owner="w1#a1", workflow="purchase_order", epoch=4, cursor=cursor, **BARE)
        return Context(run, Step(**{**vars(declared), "timeout": seconds}), Worker())  # type: ignore[arg-type]

    return make


BARE: dict[str, Any] = {
    "input": {"order_ref": "PO-1"}, "completed": {}, "signals": {}, "generation": 3, "entered_generation": 0,
    "first_started_at": None, "may_send_until": None, "claimed_at": None,
}  # fmt: skip


def test_an_answer_is_the_result_and_the_vendor_knows_who_called(context, simulator: Simulator):
    assert post(context(run_id="run_ä/'|50% #?"), "cardline/charges", CHARGE)["amount"] == "120.50"
    (call,) = simulator.books().calls
    assert (call.run_id, call.step, call.owner) == ("run_ä/'|50% #?", "charge_card", "w1#a1")
    assert (call.epoch, call.attempt, call.generation, call.item) == (4, 2, 3, None)


def test_nobody_listening_means_not_sent(context, monkeypatch: pytest.MonkeyPatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("VENDOR_SIMULATOR_URL", f"http://127.0.0.1:{unused.getsockname()[1]}")
    with pytest.raises(NotSent):
        post(context(), "cardline/charges", CHARGE)


def test_a_vendor_killed_between_two_calls_means_not_sent(context, simulator: Simulator):
    post(context(), "cardline/charges", CHARGE)
    simulator.kill()
    with pytest.raises(NotSent):
        post(context(), "cardline/charges", CHARGE)


@pytest.mark.parametrize("fault", ["busy", "unavailable"])
def test_turned_away_at_the_door_means_not_sent(context, simulator: Simulator, fault: str):
    simulator.control(vendor="Cardline", next=[fault])
    with pytest.raises(NotSent):
        post(context(), "cardline/charges", CHARGE)


@pytest.mark.parametrize("path", ["cardline/charges", "creditline/enquiries"])
def test_a_vendors_judged_no_means_refused(context, simulator: Simulator, path: str):
    simulator.control(next=["refuse"])
    with pytest.raises(Refused):
        post(context(), path, BODIES[path])


UNKNOWN = ["drop_before", "drop_after", "error_before", "error_after"]


@pytest.mark.parametrize("fault", UNKNOWN)
def test_all_else_means_unknown(context, simulator: Simulator, fault: str):
    simulator.control(vendor="Cardline", next=[fault])
    with pytest.raises(VendorFailed):
        post(context(), "cardline/charges", CHARGE)


def test_a_time_out_means_unknown(context, simulator: Simulator):
    simulator.control(vendor="Cardline", next=["hang"])
    with pytest.raises(VendorFailed, match="ReadTimeoutError"):
        post(context(timeout=0.4), "cardline/charges", CHARGE)
    assert simulator.books().calls[0].applied


def test_a_key_in_use_and_a_key_reused_are_not_a_no(context, simulator: Simulator):
    simulator.control(vendor="Accounts", next=["hang"], latency_factor=40)
    with pytest.raises(VendorFailed):
        post(context("activate_account", timeout=0.4), "accounts/activations", {"account": "a"}, key="k")
    with pytest.raises(KeyInUse):
        post(context("activate_account"), "accounts/activations", {"account": "a"}, key="k")
    simulator.control(reset=True)
    post(context("activate_account"), "accounts/activations", {"account": "b"}, key="k2")
    with pytest.raises(VendorFailed, match="key_reused"):
        post(context("activate_account"), "accounts/activations", {"account": "c"}, key="k2")


def test_a_booking_is_found_or_not_and_a_failed_question_is_neither(context, simulator: Simulator):
    ctx = context("book_shipment")
    assert find(ctx, "nordfracht/bookings", "PO-1-ab12") is None
    booked = post(ctx, "nordfracht/bookings", BODIES["nordfracht/bookings"])
    assert find(ctx, "nordfracht/bookings", "PO-1-ab12") == booked
    simulator.control(vendor="Nordfracht", outage="unavailable")
    with pytest.raises(VendorFailed):
        find(ctx, "nordfracht/bookings", "PO-1-ab12")


def test_nothing_is_sent_without_a_lease(context, simulator: Simulator):
    ctx = context()
    ctx._driver.left = 0.0
    with pytest.raises(Exception, match="changed hands"):
        post(ctx, "cardline/charges", CHARGE)
    assert simulator.books().calls == []


def test_time_outs_scale_with_the_vendors_and_never_below_what_a_busy_machine_needs(
    monkeypatch: pytest.MonkeyPatch,
):
    assert scaled(90) == 90
    monkeypatch.setenv("VENDOR_SPEED", "10")
    assert (scaled(90), scaled(20), scaled(3), client.scaled(30, floor=2)) == (9, 5, 3, 3)
