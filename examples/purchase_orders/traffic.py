"""Puts orders on the board one after another, and now and then a return."""

from __future__ import annotations

import re
from dataclasses import dataclass

import psycopg
from django.db import DatabaseError, InterfaceError, close_old_connections
from psycopg_pool import PoolTimeout

from examples.purchase_orders.orders import Order, Orders
from runs import engine, tasks
from runs.models import RunState

ORDERS_A_RETURN = 12
# A buyer sends back what it got a while ago, so a return names an order this many numbers earlier.
ORDERS_BEFORE = 25


class DatabaseAway(Exception):
    """The order could not be saved; the same order is still to be placed."""


AWAY = (DatabaseError, InterfaceError, psycopg.OperationalError, PoolTimeout)


@dataclass
class Traffic:
    """Numbers go on where the board's orders end, so a restart never places an order twice."""

    orders: Orders
    number: int = 0

    def place(self) -> bool:
        """Place the next order. False where it is saved and the queue did not take it; the sweep will.
        Raises DatabaseAway where the order is still to be placed."""
        try:
            order = self._save()
            back = self._send_back(order) if self.number % ORDERS_A_RETURN == 0 else None
        except AWAY as error:
            raise DatabaseAway from error
        taken = [tasks.dispatch(run_id) for run_id in (order.run_id, back) if run_id is not None]
        return all(taken)

    def _save(self) -> Order:
        close_old_connections()
        self.number = self.number or last_number(self.orders.year)
        order = self.orders.order(self.number + 1)
        # Django's connection fails at once where the record's pool would wait half a minute.
        if not RunState.objects.filter(run_id=order.run_id).exists():
            engine.start("purchase_order", order.run_id, order.input, actor="place_orders")
        self.number += 1
        return order

    def _send_back(self, order: Order) -> str:
        bought = self.orders.order(self.number - ORDERS_BEFORE) if self.number > ORDERS_BEFORE else order
        returned = self.orders.goods_return(self.number, bought)
        engine.start("goods_return", returned.run_id, returned.input, actor="place_orders")
        return returned.run_id


def last_number(year: int) -> int:
    """The highest order number of this year on the board, 0 if there is none."""
    placed = RunState.objects.filter(workflow="purchase_order", order_ref__startswith=f"PO-{year}-")
    latest = placed.order_by("-created_at").values_list("order_ref", flat=True)[:50]
    numbers = (re.fullmatch(rf"PO-{year}-(\d+)", order_ref) for order_ref in latest)
    return max((int(found[1]) for found in numbers if found), default=0)
