from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3

from examples.purchase_orders.vendors.process import Simulator, start_simulator

FAST = 200.0
BODIES: dict[str, dict[str, Any]] = {
    "parsewell/parse": {"order_ref": "PO-1", "lines": [{"sku": "SK-1"}], "buyer": {"name": "Größl GmbH"}},
    "pricebook/prices": {"sku": "SK-10234", "quantity": 3, "currency": "EUR"},
    "creditline/enquiries": {"company": "Größl GmbH"},
    "cardline/charges": {"amount": "120.50", "currency": "EUR", "reference": "PO-1"},
    "nordfracht/bookings": {"reference": "PO-1-ab12", "rate": "49.35", "currency": "EUR"},
    "accounts/activations": {"account": "acct_4007"},
    "postmail/messages": {"to": "einkauf@groessl.example", "text": "…"},
}


def wait_for(condition: Callable[[], Any], seconds: float = 15.0) -> Any:
    """Poll until the condition holds, and return what it found."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
    return found


class Caller:
    """Calls a vendor as a worker would, and shows the bare answer."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.pool = urllib3.PoolManager(retries=False)

    def post(
        self, path: str, run_id: str = "run_a", key: str | None = None, timeout: float = 10, **body: Any
    ) -> urllib3.BaseHTTPResponse:
        headers = {"X-Run": run_id, "X-Step": path.partition("/")[0], "X-Owner": "w1%23a1", "X-Epoch": "4"}
        headers |= {"X-Attempt": "2", "X-Generation": "0"} | ({"Idempotency-Key": key} if key else {})
        url = f"{self.simulator.url}/{path}"
        return self.pool.request("POST", url, json=BODIES[path] | body, headers=headers, timeout=timeout)

    def get(self, path: str) -> urllib3.BaseHTTPResponse:
        return self.pool.request("GET", f"{self.simulator.url}/{path}")


@pytest.fixture
def simulator(tmp_path: Path) -> Iterator[Simulator]:
    with start_simulator(FAST, tmp_path / "books") as running:
        yield running


@pytest.fixture
def caller(simulator: Simulator) -> Iterator[Caller]:
    caller = Caller(simulator)
    yield caller
    caller.pool.clear()
