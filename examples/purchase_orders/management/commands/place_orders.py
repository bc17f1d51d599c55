from __future__ import annotations

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from examples.purchase_orders.orders import Orders
from examples.purchase_orders.traffic import BrokerAway, DatabaseAway, Traffic

RETRY_SECONDS = 2.0


class Command(BaseCommand):
    help = "Place purchase orders, one after another, until told to stop."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--every", type=float, default=0.8, help="seconds between two orders (0.8)")
        parser.add_argument("--count", type=int, help="stop after this many orders")
        parser.add_argument("--seed", type=int, default=2026, help="which book of orders to draw from")

    def handle(self, *, every: float, count: int | None, seed: int, **_: Any) -> None:
        self.stopped = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stopped.set())
        self.trouble = ""
        traffic = Traffic(Orders(seed, timezone.localdate().year))
        placed = 0
        while not self.stopped.is_set() and placed != count:
            placed += (done := self._place(traffic))
            self.stopped.wait(every if done else RETRY_SECONDS)
        self.stdout.write(f"Placed {placed} {'order' if placed == 1 else 'orders'}.")

    def _place(self, traffic: Traffic) -> bool:
        """Place the next order. An order whose saving failed is the next one again, under the same run id."""
        try:
            traffic.place()
        except DatabaseAway:
            self._say("The database is away: no orders are placed until it is back.")
            return False
        except BrokerAway:
            self._say("The broker is away: orders are saved, and the sweep starts them when it is back.")
            return True
        self._say("")
        return True

    def _say(self, trouble: str) -> None:
        """One sentence when trouble begins and one when it ends, however many orders lie between."""
        if trouble != self.trouble:
            self.stdout.write(trouble or "Orders are placed again.")
            self.stdout.flush()
        self.trouble = trouble
