"""Orders through the record itself: driven by a real worker's code, checked against the vendors' books."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest

from examples.purchase_orders.orders import Orders
from examples.purchase_orders.vendors.process import Simulator
from examples.purchase_orders.workflow import po
from runs import db, engine
from runs.models import RunState, RunTransition
from runs.worker.drive import drive
from runs.worker.process import Process, new_process, register

pytestmark = pytest.mark.django_db(transaction=True)
BOOK = Orders(seed=3)


@pytest.fixture
def process() -> Iterator[Process]:
    joined = new_process(1)
    register(joined)
    yield joined
    db.pool.close()


@pytest.fixture
def place(simulator: Simulator, process: Process, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunState]:
    monkeypatch.setenv("VENDOR_SIMULATOR_URL", simulator.url)
    simulator.control(speed=5000)

    def placed(number: int) -> RunState:
        order = BOOK.order(number)
        engine.start("purchase_order", order.run_id, order.input)
        drive(process, order.run_id)
        return RunState.objects.get(run_id=order.run_id)

    return placed


def test_an_order_is_done_and_every_effect_happened_once(place, simulator: Simulator):
    run = place(4)
    books = simulator.books()
    assert run.status == "done"
    assert list(dict.fromkeys(call.step for call in books.for_run(run.run_id))) == [
        step.first_name for step in po.steps if step.is_effect
    ]
    assert all(len(calls) == 1 for calls in books.applied().values())
    charged = books.spent()["Cardline", run.completed["quote"]["currency"]]
    assert charged == Decimal(run.completed["quote"]["total"])


def test_a_lost_answer_of_a_charge_is_held_in_doubt_and_not_repeated(place, simulator: Simulator):
    simulator.control(vendor="Cardline", next=["drop_after"])
    run = place(4)
    assert (run.status, run.step) == ("in_doubt", "charge_card")
    (charge,) = [call for call in simulator.books().calls if call.vendor == "Cardline"]
    assert charge.applied


def test_a_charge_turned_away_at_the_door_is_tried_again_later(place, simulator: Simulator):
    simulator.control(vendor="Cardline", next=["busy"])
    run = place(4)
    assert (run.status, run.step) == ("pending", "charge_card") and run.wake_at is not None
    assert RunTransition.objects.filter(run_id=run.run_id, kind="retry_scheduled").exists()


def test_a_declined_card_ends_without_a_charge(place, simulator: Simulator):
    simulator.control(vendor="Cardline", refuse_rate=1)
    run = place(4)
    assert run.step == "charge_card" and run.status in ("failed", "pending")
    assert ("Cardline", "EUR") not in simulator.books().spent()
