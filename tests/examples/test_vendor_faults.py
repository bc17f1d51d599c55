"""What goes wrong on request, and what the books say of it."""

from __future__ import annotations

import time
from urllib.error import HTTPError

import pytest
from urllib3.exceptions import ProtocolError, ReadTimeoutError

from examples.purchase_orders.vendors.process import Simulator
from tests.examples.conftest import Caller, wait_for

AT_THE_DOOR = {"busy": 429, "unavailable": 503}


@pytest.mark.parametrize("fault", AT_THE_DOOR)
def test_turned_away_at_the_door_does_nothing(caller: Caller, fault: str):
    caller.simulator.control(vendor="Cardline", next=[fault])
    answer = caller.post("cardline/charges")
    assert (answer.status, answer.headers["retry-after"]) == (AT_THE_DOOR[fault], "1")
    assert not caller.simulator.books().calls[0].applied


@pytest.mark.parametrize(("fault", "happened"), [("drop_before", False), ("drop_after", True)])
def test_a_broken_connection_tells_nothing_and_the_books_do(caller: Caller, fault: str, happened: bool):
    caller.simulator.control(vendor="Cardline", next=[fault])
    with pytest.raises(ProtocolError):
        caller.post("cardline/charges")
    call = wait_for(lambda: [c for c in caller.simulator.books().calls if c.outcome])[0]
    assert (call.applied, call.outcome) == (happened, fault)


@pytest.mark.parametrize(("fault", "happened"), [("error_before", False), ("error_after", True)])
def test_an_internal_error_may_come_before_or_after_the_effect(caller: Caller, fault: str, happened: bool):
    caller.simulator.control(vendor="Cardline", next=[fault])
    assert caller.post("cardline/charges").status == 500
    assert caller.simulator.books().calls[0].applied is happened


def test_a_hanging_vendor_has_done_its_work(caller: Caller):
    caller.simulator.control(vendor="Cardline", next=["hang"])
    with pytest.raises(ReadTimeoutError):
        caller.post("cardline/charges", timeout=0.5)
    assert caller.simulator.books().calls[0].applied


def test_a_delayed_request_is_received_late(caller: Caller):
    caller.simulator.control(vendor="Cardline", next=["delay_arrival"], delay_seconds=0.4)
    with pytest.raises(ReadTimeoutError):
        caller.post("cardline/charges", timeout=0.1)
    assert caller.simulator.books().calls == []
    assert wait_for(lambda: [c for c in caller.simulator.books().calls if c.applied])


def test_an_outage_is_of_one_vendor(caller: Caller):
    caller.simulator.control(vendor="Cardline", outage="unavailable")
    assert caller.post("cardline/charges").status == 503
    assert caller.post("creditline/enquiries").status == 200
    caller.simulator.control(reset=True)
    assert caller.post("cardline/charges").status == 200


def test_rates_are_shares_of_all_calls(caller: Caller):
    caller.simulator.control(vendor="Cardline", busy_rate=0.3, refuse_rate=0.2)
    statuses = [caller.post("cardline/charges", run_id=f"run_{n}").status for n in range(100)]
    assert 20 <= statuses.count(429) <= 40 and 10 <= statuses.count(402) <= 30


WRONG = [
    {"vendor": "Nobody", "busy_rate": 0.1},
    {"busy_rate": 1.5},
    {"busy_rate": "often"},
    {"outage": "fire"},
    {"next": ["explode"]},
    {"speed": 0},
    {"colour": "red"},
]


@pytest.mark.parametrize("settings", WRONG)
def test_a_wrong_control_request_changes_nothing(simulator: Simulator, settings: dict):
    before = simulator.control()["vendors"]
    with pytest.raises(HTTPError, match="400"):
        simulator.control(**settings)
    assert simulator.control()["vendors"] == before


def test_speed_can_be_changed_while_it_runs(caller: Caller):
    caller.simulator.control(speed=10_000)
    began = time.monotonic()
    caller.post("nordfracht/bookings")
    assert time.monotonic() - began < 0.2
