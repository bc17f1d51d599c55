from __future__ import annotations

import logging
import signal
import time
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from examples.purchase_orders.orders import Orders
from examples.purchase_orders.traffic import DatabaseAway, Traffic

RETRY_SECONDS = 2.0


def seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < 86_400:
        raise ArgumentTypeError("must be seconds from 0 to a day")
    return value


class Command(BaseCommand):
    help = "Place purchase orders, one after another, until told to stop."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--every", type=seconds, default=0.8, help="seconds between two orders (0.8)")
        parser.add_argument("--count", type=int, help="stop after this many orders")
        parser.add_argument("--seed", type=int, default=2026, help="which book of orders to draw from")

    def handle(self, *, every: float, count: int | None, seed: int, **_: Any) -> None:
        # Ending in the middle of an order is harmless: it is the next one of the next start.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        # The pool would add a line for each attempt to connect; one sentence from here says it all.
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
        self.trouble, self.placed = "", 0
        traffic = Traffic(Orders(seed, timezone.localdate().year))
        with suppress(KeyboardInterrupt):
            while self.placed != count:
                done = self._place(traffic)
                self.placed += done
                time.sleep(every if done else RETRY_SECONDS)
        self.stdout.write(f"Placed {self.placed} {'order' if self.placed == 1 else 'orders'}.")

    def _place(self, traffic: Traffic) -> bool:
        """Place the next order. One that could not be saved is the next one again, under the same run id."""
        try:
            taken = traffic.place()
        except DatabaseAway:
            self._say("The database is away: no orders are placed until it is back.")
            return False
        self._say("" if taken else "The broker is away: orders are saved, and the sweep starts them later.")
        return True

    def _say(self, trouble: str) -> None:
        """One sentence when trouble begins and one when it ends, however many orders lie between."""
        if trouble != self.trouble:
            self.stdout.write(trouble or "Orders are placed again.")
            self.stdout.flush()
        self.trouble = trouble
