"""How users write workflows: ordered steps by decorator, each pure or an effect.

po = Workflow("purchase_order", promise=Promise(until="charge_card", within=timedelta(minutes=5)))

@po.step(title="Resolve the supplier")
def resolve_supplier(ctx): ...

@po.effect(title="Check credit", vendor=Vendor("Creditline"), timeout=90, repeat_ok=True)
def credit_check(ctx): ...
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings

from runs.context import Context
from runs.declare import (
    ROLES,
    Body,
    KeyInUse,
    KeyMemory,
    Label,
    NotSent,
    Promise,
    Refused,
    Retry,
    Step,
    Vendor,
    check_name,
    guard_of,
)
from runs.errors import DeclarationRefused, UnknownWorkflow
from runs.loop import Item
from runs.money import Money
from runs.states import Guard

__all__ = [
    "Context", "Guard", "Item", "KeyInUse", "KeyMemory", "Label", "Money", "NotSent", "Promise", "Refused", "Retry",
    "Step", "Vendor", "Workflow", "declared", "workflow",
]  # fmt: skip


class Workflow:
    """An ordered list of steps under a name. ``renamed`` maps a step's first name to today's."""

    def __init__(
        self,
        name: str,
        *,
        labels: Iterable[Label] = (),
        promise: Promise | None = None,
        renamed: dict[str, str] | None = None,
    ) -> None:
        self.name = check_name(name, "workflow")
        self.labels = tuple(labels)
        self.promise = promise
        self.steps: list[Step] = []
        self._first_names = {today: first for first, today in (renamed or {}).items()}
        _declare(self)

    def step(
        self,
        *,
        title: str,
        doing: str = "",
        saying: str = "",
        retry: Retry | None = None,
        stall_after: timedelta | None = None,
    ) -> Callable[[Body], Body]:
        """Declare a pure step: it may run again at any time, and only it may wait."""

        def declare(body: Body) -> Body:
            stall = stall_after.total_seconds() if stall_after else 900.0
            return self._add(body, Guard.PURE, title, doing, saying, retry, stall_after=stall)

        return declare

    def effect(
        self,
        *,
        title: str,
        vendor: Vendor,
        timeout: float,
        doing: str = "",
        saying: str = "",
        amount: Callable[[Context], Money | None] | None = None,
        price: Callable[[Context, Any], Money | None] | None = None,
        money: str = "fee",
        keyed: KeyMemory | None = None,
        probe: Callable[[Context], Any] | None = None,
        settle: float = 0.0,
        repeat_ok: bool = False,
        retry: Retry | None = None,
        decides: str = "",
        within: timedelta | None = None,
        check: str = "",
        harm: str = "",
    ) -> Callable[[Body], Body]:
        """Declare an effect: something this step does outside the database. With neither ``keyed``
        (the vendor honours our key), ``probe`` (the vendor can be asked) nor ``repeat_ok``, an
        attempt without an answer waits for a person. ``timeout`` and ``settle`` are seconds."""
        guard = guard_of(keyed, probe, repeat_ok)
        _check_effect(timeout, money, guard, settle, decides)

        def declare(body: Body) -> Body:
            return self._add(
                body, guard, title, doing, saying, retry, vendor=vendor, timeout=float(timeout), amount=amount, price=price,
                money=money, key_memory=keyed, probe=probe, settle=float(settle), decides=decides, within=within,
                check=check, harm=harm,
            )  # fmt: skip

        return declare

    def _add(
        self, body: Body, guard: Guard, title: str, doing: str, saying: str, retry: Retry | None, **more: Any
    ) -> Body:
        name = check_name(body.__name__, "step")
        first = self._first_names.get(name, name)
        if any(first == step.first_name for step in self.steps):
            raise DeclarationRefused(f"Workflow {self.name} declares step {first!r} twice.")
        doing = doing or f"{title[0].lower()}{title[1:]}"
        self.steps.append(Step(name, first, body, guard, title, doing, saying, retry or Retry(), **more))
        return body

    @property
    def first(self) -> Step:
        if not self.steps:
            raise DeclarationRefused(f"Workflow {self.name} declares no steps.")
        return self.steps[0]

    def find(self, first_name: str) -> Step | None:
        """The step that the record knows by this name, or None: never the nearest match."""
        return next((step for step in self.steps if step.first_name == first_name), None)

    def after(self, step: Step) -> Step | None:
        position = self.steps.index(step) + 1
        return self.steps[position] if position < len(self.steps) else None


_declared: dict[str, Workflow] = {}


def _declare(workflow: Workflow) -> None:
    _declared[workflow.name] = workflow


def declared() -> dict[str, Workflow]:
    """Every workflow of LEASEBOARD_WORKFLOWS, by name. Raises ImportError for a module that is not there."""
    for module in settings.LEASEBOARD_WORKFLOWS:
        importlib.import_module(module)
    return _declared


def workflow(name: str) -> Workflow:
    """The workflow of this name. Raises UnknownWorkflow, naming those that are known."""
    found = declared().get(name)
    if found is None:
        known = ", ".join(sorted(declared())) or "none"
        raise UnknownWorkflow(
            f"No workflow {name!r} is declared in LEASEBOARD_WORKFLOWS "
            f"({', '.join(settings.LEASEBOARD_WORKFLOWS)}); known: {known}."
        )
    return found


def _check_effect(timeout: float, money: str, guard: Guard, settle: float, decides: str) -> None:
    if timeout <= 0:
        raise DeclarationRefused("An effect needs a timeout above 0 seconds: it says when to stop waiting.")
    if money not in ("fee", "charge"):
        raise DeclarationRefused(
            f'money is "fee" (what we pay) or "charge" (what the buyer pays), not {money!r}.'
        )
    if settle and guard is not Guard.PROBED:
        raise DeclarationRefused("settle belongs to a probe: it says how long the vendor may take to know.")
    if decides and decides not in ROLES:
        raise DeclarationRefused(f"decides names one of the roles {', '.join(ROLES)}, not {decides!r}.")
