"""What a step's body gets: its input, earlier results, its key, its items, and ways to wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from runs.errors import DeclarationRefused, LeaseLost
from runs.loop import Item, Loop
from runs.run import Run

if TYPE_CHECKING:
    from runs.declare import Step
    from runs.money import Money

V = TypeVar("V")


class Parked(BaseException):
    """A pure step leaves its body to wait: seconds from now, a signal, or whichever comes first. Not an
    Exception, so that a body's own "except Exception" lets it pass."""

    def __init__(self, seconds: float | None, signal: str | None = None, may: str | None = None) -> None:
        super().__init__(signal or f"{seconds} s")
        self.seconds, self.signal, self.may = seconds, signal, may


class Driver(Protocol):
    """What the context needs of the worker that drives the run."""

    def lost(self) -> bool: ...
    def seconds_left(self) -> float: ...
    def save_items(self, items: list[dict[str, Any]], onward: dict[str, Any]) -> None: ...
    def item_results(self) -> dict[str, Any]: ...
    def before_send(self) -> None: ...
    def draining(self) -> bool: ...


class Context:
    """One attempt at one step."""

    def __init__(self, run: Run, step: Step, driver: Driver) -> None:
        self._run = run
        self._step = step
        self._driver = driver
        self._loop: Loop | None = None
        self.consumed: list[str] = []

    @property
    def run_id(self) -> str:
        return self._run.run_id

    @property
    def step(self) -> str:
        return self._step.first_name

    @property
    def input(self) -> dict[str, Any]:
        return self._run.input

    @property
    def results(self) -> dict[str, Any]:
        """Results of the earlier steps, by their first names."""
        return self._run.completed

    @property
    def attempt(self) -> int:
        return self._run.attempt

    @property
    def epoch(self) -> int:
        return self._run.epoch

    @property
    def owner(self) -> str:
        return self._run.owner

    @property
    def generation(self) -> int:
        return self._run.generation

    @property
    def item(self) -> Item[Any] | None:
        """The item under way, inside a loop over ``items``."""
        return self._loop.current if self._loop else None

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt and owner of this intended doing; an item has its own."""
        return self._run.key(self.item.key if self.item else None)

    @property
    def lost(self) -> bool:
        """True once this worker may not act for the run any more: stop before the next effect."""
        return self._driver.lost()

    def deadline_seconds(self) -> float:
        """Seconds that this call may take: its timeout, or what is left of our own lease if that is less.
        Raises LeaseLost where nothing is left: then nothing may be sent."""
        left = self._driver.seconds_left()
        if self.lost or left <= 0:
            raise LeaseLost(run_id=self.run_id, step=self.step, epoch=self.epoch)
        return self._step.timeout if self._step.timeout else left

    def items(self, iterable: Iterable[V], key: Callable[[V], str]) -> Iterator[Item[V]]:
        """Loop over items with a checkpoint each; finished ones are skipped. Call ``item.save(result)``.

        Keys must be unique and come from the input or committed results, in the same order each
        time: a changed sequence blocks the run. Once a step.
        """
        if self._loop is not None:
            raise DeclarationRefused(f"Step {self._step.name} loops over items() twice: a step has one loop.")
        self._loop = Loop(self._run, self._step, self._driver, self._amount)
        yield from self._loop.over(iterable, key)

    @property
    def item_results(self) -> dict[str, Any]:
        """Results of the finished items, by key, in the order of the loop."""
        return self._loop.results if self._loop else self._driver.item_results()

    def sleep_until(self, when: datetime | float) -> None:
        """Wait without holding a lease, until a time, or a number of seconds after this step began.
        On waking the step runs again from its top, and passes here."""
        self._may_wait()
        due = when if isinstance(when, datetime) else self._began() + timedelta(seconds=when)
        left = (due - self._run.now()).total_seconds()
        if left > 0:
            raise Parked(left)

    def wait_for_signal(self, name: str, may: str, within: timedelta | None = None) -> Any:
        """Wait until somebody with the role ``may`` sends this signal; returns its payload (None where it
        has none). With ``within``, returns None once that much time has passed since the step began."""
        self._may_wait()
        for told in self._run.signals.get("told", []):
            if (
                told.get("name") == name
                and told.get("step") == self.step
                and told.get("generation") == self.generation
            ):
                self.consumed.append(str(told["id"]))
                return told.get("payload")
        left = None if within is None else (self._began() + within - self._run.now()).total_seconds()
        if left is not None and left <= 0:
            return None
        raise Parked(left, name, may)

    def _began(self) -> datetime:
        return self._run.first_started_at or self._run.now()

    def _may_wait(self) -> None:
        if self._step.is_effect:
            raise DeclarationRefused(
                f"Step {self._step.name} is an effect and may not wait: a run that wakes runs its step again from the top. "
                "Wait in a pure step before it."
            )

    def _amount(self) -> Money | None:
        return self._step.amount(self) if self._step.amount else None
