"""Puts orders on the board one after another, and now and then a return."""

from __future__ import annotations

import re
from dataclasses import dataclass

import psycopg
from django.db import DatabaseError, close_old_connections
from kombu.exceptions import OperationalError as BrokerError
from psycopg_pool import PoolTimeout

from examples.purchase_orders.orders import Order, Orders
from runs import engine, tasks
from runs.errors import RunExists
from runs.models import RunState

ORDERS_A_RETURN = 12
# A buyer sends back what it got a while ago, so a return names an order this many numbers earlier.
ORDERS_BEFORE = 25


class DatabaseAway(Exception):
    """The order could not be saved; the same order is still to be placed."""


class BrokerAway(Exception):
    """The order is saved and nobody was told."""


@dataclass
class Traffic:
    """Numbers go on where the board's orders end, so a restart never places an order twice."""

    orders: Orders
    number: int = 0

    def place(self) -> Order:
        """Place the next order. Raises DatabaseAway with nothing lost, BrokerAway with the order saved."""
        order = self._save()
        try:
            tasks.dispatch(order.run_id)
            if self.number % ORDERS_A_RETURN == 0:
                self._send_back(order)
        except BrokerError as error:
            raise BrokerAway from error
        return order

    def _save(self) -> Order:
        try:
            close_old_connections()
            self.number = self.number or last_number(self.orders.year)
            order = self.orders.order(self.number + 1)
            # A start whose answer was lost is the same start again: it finds its own row.
            engine.start("purchase_order", order.run_id, order.input, actor="place_orders")
        except (DatabaseError, psycopg.OperationalError, PoolTimeout) as error:
            raise DatabaseAway from error
        except RunExists:
            # An earlier build drew other orders from this seed: leave its number alone.
            self.number += 1
            return self._save()
        self.number += 1
        return order

    def _send_back(self, order: Order) -> None:
        bought = self.orders.order(self.number - ORDERS_BEFORE) if self.number > ORDERS_BEFORE else order
        returned = self.orders.goods_return(self.number, bought)
        try:
            engine.start("goods_return", returned.run_id, returned.input, actor="place_orders")
        except (DatabaseError, psycopg.OperationalError, PoolTimeout) as error:
            raise DatabaseAway from error
        tasks.dispatch(returned.run_id)


def last_number(year: int) -> int:
    """The highest order number of this year on the board, 0 if there is none."""
    placed = RunState.objects.filter(workflow="purchase_order", order_ref__startswith=f"PO-{year}-")
    latest = placed.order_by("-created_at").values_list("order_ref", flat=True)[:50]
    numbers = (re.fullmatch(rf"PO-{year}-(\d+)", order_ref) for order_ref in latest)
    return max((int(found[1]) for found in numbers if found), default=0)
