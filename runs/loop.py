"""Position inside a step: items, each with a checkpoint whose price is kept in proportion.

External items are committed one by one, each commit carrying the next item's start mark. Cheap
pure items are batched: a checkpoint is due when a hundred times its own cost has passed, and at the
latest after a second, so that it stays near one per cent of the time and a takeover repeats at most
about a second of work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from runs.errors import DeclarationRefused, ItemsChanged
from runs.results import storable
from runs.run import Run
from runs.states import Guard, Status

if TYPE_CHECKING:
    from runs.context import Driver
    from runs.declare import Step
    from runs.money import Money

V = TypeVar("V")
COST_SHARE = 100
BATCH_SECONDS_MAX = 1.0


class Item(Generic[V]):
    """One item under way."""

    def __init__(self, value: V, key: str, loop: Loop) -> None:
        self.value = value
        self.key = key
        self._loop = loop
        self.saved = False

    @property
    def idempotency_key(self) -> str:
        return self._loop.run.key(self.key)

    def save(self, result: Any = None) -> None:
        """Record this item's result, once. Raises Unstorable where it has no JSON form."""
        if self.saved:
            raise DeclarationRefused(f"Item {self.key!r} is saved twice.")
        self._loop.save(self, result)


class Loop:
    """The one loop of a step."""

    def __init__(self, run: Run, step: Step, driver: Driver, amount: Callable[[], Money | None]) -> None:
        self.run = run
        self.results: dict[str, Any] = {}
        self.current: Item[Any] | None = None
        self._step = step
        self._driver = driver
        self._amount = amount
        self._pending: list[dict[str, Any]] = []
        self._total = 0
        self._due_at = 0.0

    def over(self, iterable: Iterable[V], key: Callable[[V], str]) -> Iterator[Item[V]]:
        values = list(iterable)
        keys = [str(key(value)) for value in values]
        self._load(keys)
        for n, value in enumerate(values):
            if keys[n] in self.results:
                continue
            self.current = Item(value, keys[n], self)
            self._before(n)
            yield self.current
            if not self.current.saved:
                raise DeclarationRefused(
                    f"Step {self._step.name} left item {keys[n]!r} without item.save(result)."
                )
        self.current = None
        self._finish()

    def save(self, item: Item[Any], result: Any) -> None:
        kept, _ = storable(result)
        item.saved = True
        self.results[item.key] = kept
        self._pending.append({"item": item.key, "result": kept})
        if not self._step.is_effect and (time.monotonic() >= self._due_at or self._driver.draining()):
            self._flush(item.key, self._step.guard)

    def _load(self, keys: list[str]) -> None:
        if len(set(keys)) != len(keys):
            raise ItemsChanged(f"The items of step {self._step.name} have keys that are not unique.")
        done = self._driver.item_results()
        begun = self.run.cursor.get("item")
        if set(keys[: len(done)]) != set(done) or (begun is not None and begun not in keys):
            raise ItemsChanged(
                f"The items of step {self._step.name} are not those that were begun: {len(done)} are finished, and they do not "
                "come first in today's list."
            )
        self.results = {k: done[k] for k in keys if k in done}
        self._total = len(keys)
        self._due_at = time.monotonic() + BATCH_SECONDS_MAX / 4

    def _before(self, n: int) -> None:
        """An external item is marked begun before its call; the commit of the last one did that already."""
        key = self.current.key if self.current else None
        if self._step.is_effect:
            if self.run.cursor.get("item") != key or self._pending:
                self._flush(key, self._step.guard)
            self._driver.before_send()

    def _finish(self) -> None:
        # Nothing is under way any more: what is left of the body may run again.
        if self._pending or self.run.cursor.get("item") is not None:
            self._flush(None, Guard.PURE)

    def _flush(self, begun: str | None, guard: Guard) -> None:
        amount = self._amount() if begun is not None and self._step.is_effect else None
        onward = {k: v for k, v in self.run.cursor.items() if k not in ("amount", "unknown")}
        onward |= {"status": Status.STARTED.value, "item": begun, "guard": guard.value}
        onward |= {"items_done": len(self.results), "items_total": self._total}
        if amount is not None:
            onward["amount"] = amount.as_json()
        pending, self._pending = self._pending, []
        sent = time.monotonic()
        self._driver.save_items(pending, onward)
        cost = time.monotonic() - sent
        self._due_at = time.monotonic() + min(COST_SHARE * cost, BATCH_SECONDS_MAX)
