"""What a step's body gets from the old code: the same calls, and nothing that remembers."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from examples.purchase_orders.orders import Order
from examples.purchase_orders.replay.notes import Notes
from runs.workflow import Money, Step


class OldItem:
    def __init__(self, value: Any, key: str, results: dict[str, Any]) -> None:
        self.value, self.key, self._results = value, key, results

    def save(self, result: Any) -> None:
        self._results[self.key] = result


class OldContext:
    """Stands in for runs.workflow.Context in the steps of the example."""

    attempt = 1
    epoch = 0
    generation = 0
    lost = False

    def __init__(self, order: Order, step: Step, results: dict[str, Any], owner: str, notes: Notes) -> None:
        self.run_id, self.input, self.results, self.owner = order.run_id, order.input, results, owner
        self.step = step.first_name
        self.item: OldItem | None = None
        self.item_results: dict[str, Any] = {}
        self._step, self._notes = step, notes

    @property
    def idempotency_key(self) -> str:
        """The old code sent none. To a vendor, a key that no call carried before is no key."""
        return uuid.uuid4().hex

    def deadline_seconds(self) -> float:
        return self._step.timeout

    def items(self, values: Iterable[Any], key: Callable[[Any], str]) -> Iterator[OldItem]:
        for value in values:
            self.item = OldItem(value, str(key(value)), self.item_results)
            self._notes.write("item", self.run_id, step=self.step, item=self.item.key)
            yield self.item
        self.item = None

    def amount(self) -> Money | None:
        return self._step.amount(self) if self._step.amount else None  # type: ignore[arg-type]
