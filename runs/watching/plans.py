"""What a workflow says of itself, from the catalogue in the database: pages need none of its code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.declare import ROLES
from runs.watching import reads
from runs.watching.payloads.redaction import Path, Sight


@dataclass(frozen=True)
class StepPlan:
    """One step as people read it. Anything that an older or foreign catalogue leaves out reads as empty."""

    name: str
    title: str
    doing: str
    saying: str = ""
    guard: str = ""
    vendor: str = ""
    timeout: float | None = None
    attempts: int | None = None
    decides: str = ""
    money: str = ""


@dataclass(frozen=True)
class LabelPlan:
    """A label, the path of its value in the payloads, and the roles that may see it."""

    name: str
    path: Path
    roles: frozenset[str]
    is_searchable: bool = True

    @property
    def is_for_everybody(self) -> bool:
        return self.roles.issuperset(ROLES)


@dataclass(frozen=True)
class Plan:
    """The steps of one workflow in order. `is_known` is false where no build ever published it."""

    workflow: str
    steps: tuple[StepPlan, ...] = ()
    promise_until: str = ""
    promise_seconds: float | None = None
    first_names: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[LabelPlan, ...] = ()

    @property
    def is_known(self) -> bool:
        return bool(self.steps)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {step.name: place for place, step in enumerate(self.steps)}

    def place(self, step: str) -> int | None:
        """Where the step stands, from 0. A step goes by its first name in the record, or by today's."""
        return self._places.get(step, self._places.get(self.first_names.get(step, "")))

    def step(self, name: str) -> StepPlan:
        """The step's plan; a step that no catalogue knows is shown under its own name."""
        place = self.place(name)
        if place is not None:
            return self.steps[place]
        return StepPlan(name, _spoken(name), f"at {_spoken(name).lower()}" if name else "at no step")

    def sight(self, roles: frozenset[str]) -> Sight:
        """What somebody with these roles may see. Nobody's roles see only what is for everybody."""
        hidden = (label for label in self.labels if not label.is_for_everybody and not label.roles & roles)
        return Sight(frozenset(label.path for label in hidden))

    def label_path(self, name: str) -> Path:
        """Where a label's value stands; one that no catalogue declares goes by its own name."""
        return next((label.path for label in self.labels if label.name == name), (name,))

    def promise_left_at(self, step: str) -> float | None:
        """The promise's seconds while the run stands at `step`; None once kept or where there is none."""
        place, until = self.place(step), self.place(self.promise_until)
        if self.promise_seconds is None or place is None or until is None or place > until:
            return None
        return self.promise_seconds


class Plans:
    """Every workflow's plan, by name."""

    def __init__(self, plans: dict[str, Plan]) -> None:
        self._plans = plans

    def __getitem__(self, workflow: str) -> Plan:
        return self._plans.get(workflow) or Plan(workflow)

    def __iter__(self) -> Iterator[Plan]:
        return iter(self._plans.values())

    def vendors(self) -> list[str]:
        """Every vendor that a step names, by name."""
        return sorted({step.vendor for plan in self for step in plan.steps if step.vendor})

    def labels_for(self, roles: frozenset[str]) -> tuple[list[str], list[str]]:
        """Names of searchable labels: those that these roles may see, and those closed to them. One that any
        workflow closes to them is closed."""
        every = [label for plan in self for label in plan.labels if label.is_searchable]
        closed = {label.name for label in every if not (label.is_for_everybody or label.roles & roles)}
        return sorted({label.name for label in every} - closed), sorted(closed)


def plans(db: BaseDatabaseWrapper) -> Plans:
    """The newest catalogue of each workflow."""
    return Plans({r["workflow"]: _plan(r["workflow"], r["body"]) for r in reads.rows(db, "plans")})


def _plan(workflow: str, body: Any) -> Plan:
    if not isinstance(body, dict):
        return Plan(workflow)
    promise: Any = body.get("promise")
    promise = promise if isinstance(promise, dict) else {}
    steps = _objects(body.get("steps"))
    return Plan(
        workflow,
        tuple(_step(step) for step in steps),
        str(promise.get("until") or ""),
        _number(promise.get("within_seconds")),
        {str(step.get("name")): str(step.get("first_name")) for step in steps},
        tuple(_label(label) for label in _objects(body.get("labels"))),
    )


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _label(body: dict[str, Any]) -> LabelPlan:
    """A catalogue older than visibility names no roles: then everybody may see it."""
    roles = body.get("roles")
    shown_to = roles if isinstance(roles, list) else ROLES
    path = tuple(str(body.get("path") or "").split("."))
    name, searchable = str(body.get("name") or ""), body.get("searchable") is not False
    return LabelPlan(name, path, frozenset(str(role) for role in shown_to), searchable)


def _step(body: dict[str, Any]) -> StepPlan:
    """The record knows a step by its first name, whatever it is called today."""
    name = str(body.get("first_name") or body.get("name") or "")
    title = str(body.get("title") or _spoken(name))
    retry = body.get("retry")
    attempts = _number(retry.get("attempts")) if isinstance(retry, dict) else None
    return StepPlan(
        name,
        title,
        str(body.get("doing") or f"at “{title.lower()}”"),
        str(body.get("saying") or ""),
        str(body.get("guard") or ""),
        str(body.get("vendor") or ""),
        _number(body.get("timeout")),
        int(attempts) if attempts else None,
        str(body.get("decides") or ""),
        str(body.get("money") or ""),
    )


def _spoken(name: str) -> str:
    return name.replace("_", " ").strip().capitalize()


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else None
