"""What a declaration is made of: steps, vendors, labels, promises, retries, key memories."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from runs.errors import DeclarationRefused
from runs.money import Money
from runs.states import Guard

if TYPE_CHECKING:
    from runs.context import Context

Body = Callable[["Context"], Any]
ROLES = ("support", "ops", "manager")
NAME = re.compile(r"[a-z][a-z0-9_]{0,79}\Z")


class NotSent(Exception):
    """This attempt cannot have reached the vendor, or was turned away at the door."""


class Refused(Exception):
    """The vendor judged the request and said no; nothing happened."""


class KeyInUse(Exception):
    """The vendor is still working on an earlier request with this key: unknown, ask again later."""


@dataclass(frozen=True)
class Vendor:
    """Whom an effect calls."""

    name: str


@dataclass(frozen=True)
class KeyMemory:
    """How long a vendor remembers an idempotency key."""

    hours: float

    @property
    def seconds(self) -> float:
        return self.hours * 3600


@dataclass(frozen=True)
class Label:
    """A name of the run that people search for: a path into ``input`` or into a step's result."""

    name: str
    path: str
    searchable: bool = False
    money: str = ""
    roles: tuple[str, ...] = ROLES


@dataclass(frozen=True)
class Promise:
    """Until which step's commit, and within how long from its start, the buyer has our word."""

    until: str
    within: timedelta


@dataclass(frozen=True)
class Retry:
    """``attempts`` in all, the first after ``first`` seconds, then ``factor`` times longer, never over ``ceiling``."""

    attempts: int = 5
    first: float = 1.0
    factor: float = 2.0
    ceiling: float = 60.0

    def wait_seconds(self, attempt: int) -> float:
        return min(self.first * self.factor ** max(attempt - 1, 0), self.ceiling)


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a workflow. ``first_name`` is the name under which the record knows it, for ever."""

    name: str
    first_name: str
    body: Body
    guard: Guard
    title: str
    doing: str
    saying: str
    retry: Retry = field(default_factory=Retry)
    stall_after: float = 900.0
    vendor: Vendor | None = None
    timeout: float = 0.0
    amount: Callable[[Context], Money | None] | None = None
    price: Callable[[Context, Any], Money | None] | None = None
    money: str = "fee"
    key_memory: KeyMemory | None = None
    probe: Callable[[Context], Any] | None = None
    settle: float = 0.0
    decides: str = ""
    within: timedelta | None = None
    check: str = ""
    harm: str = ""

    @property
    def is_effect(self) -> bool:
        return self.guard is not Guard.PURE

    @property
    def vendor_name(self) -> str:
        return self.vendor.name if self.vendor else ""

    @property
    def settles_after(self) -> float:
        """Seconds after the last possible send until a vendor's *no* can no longer change."""
        return self.timeout + self.settle


def guard_of(keyed: KeyMemory | None, probe: object | None, repeat_ok: bool) -> Guard:
    """The one guard that is declared. Raises DeclarationRefused for two."""
    chosen = [
        guard
        for guard, given in (
            (Guard.KEYED, keyed),
            (Guard.PROBED, probe),
            (Guard.REPEAT_OK, repeat_ok or None),
        )
        if given is not None
    ]
    if len(chosen) > 1:
        raise DeclarationRefused(f"An effect has one guard, and this one declares {' and '.join(chosen)}.")
    return chosen[0] if chosen else Guard.UNPROTECTED


def check_name(name: str, what: str) -> str:
    if not NAME.match(name):
        raise DeclarationRefused(
            f"{name!r} cannot name a {what}: use lower case letters, digits and underscores, a letter first."
        )
    return name
