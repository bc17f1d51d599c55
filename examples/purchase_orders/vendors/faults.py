"""What goes wrong, and how often: settings a test or a person changes while the vendors run."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .houses import VENDORS

# In the order in which a call meets them. The first four happen before the vendor has done anything.
FAULTS = {
    "delay_arrival": "The request sits in the network before the vendor sees it.",
    "busy": "429 at the door, nothing done.",
    "unavailable": "503 at the door, nothing done.",
    "drop_before": "The connection breaks before anything was done.",
    "error_before": "500, nothing done; the caller cannot know.",
    "refuse": "The vendor judges the request and says no.",
    "error_after": "The effect happened, then 500.",
    "drop_after": "The effect happened, then the connection breaks.",
    "hang": "The effect happened, the answer never comes.",
}
RATES = [fault + "_rate" for fault in FAULTS if fault != "delay_arrival"]
OUTAGES = ("", "unavailable", "drop_before", "hang")


class BadControl(ValueError):
    """The control request names something that does not exist or is out of bounds."""


@dataclass
class Mood:
    """How one vendor behaves. A `next` fault comes before any rate, one call each."""

    latency_factor: float = 1.0
    apply_share: float | None = None
    busy_rate: float = 0.0
    unavailable_rate: float = 0.0
    drop_before_rate: float = 0.0
    error_before_rate: float = 0.0
    refuse_rate: float = 0.0
    error_after_rate: float = 0.0
    drop_after_rate: float = 0.0
    hang_rate: float = 0.0
    delay_seconds: float = 60.0
    hang_seconds: float = 3600.0
    key_memory_seconds: float = 86_400.0
    outage: str = ""
    next: deque[str] = field(default_factory=deque)

    def fault(self, chance: random.Random) -> str | None:
        # One draw decides, so that rates are shares of all calls and no call meets two faults.
        draw = chance.random()
        if self.outage:
            return self.outage
        if self.next:
            return self.next.popleft()
        for rate in RATES:
            draw -= getattr(self, rate)
            if draw < 0:
                return rate.removesuffix("_rate")
        return None

    def shown(self) -> dict[str, Any]:
        return asdict(self) | {"next": list(self.next)}


# A vendor's ordinary bad days, mild enough that most orders never meet one.
EVERYDAY = {
    "Parsewell": {"busy_rate": 0.02, "error_before_rate": 0.004},
    "Pricebook": {"busy_rate": 0.002},
    "Creditline": {"unavailable_rate": 0.01, "drop_after_rate": 0.004},
    "Cardline": {"busy_rate": 0.004, "refuse_rate": 0.006, "drop_after_rate": 0.002},
    "Nordfracht": {"unavailable_rate": 0.01, "error_after_rate": 0.008},
    "Accounts": {"busy_rate": 0.01, "drop_after_rate": 0.005},
    "Postmail": {"busy_rate": 0.01},
}


class Moods:
    def __init__(self, speed: float = 1.0, everyday: bool = False) -> None:
        self.speed = speed
        self.of = {vendor: Mood(**(EVERYDAY[vendor] if everyday else {})) for vendor in VENDORS}  # type: ignore[arg-type]

    def change(self, wanted: dict[str, Any]) -> None:
        """Apply one control request: all of it, or nothing where a part of it is wrong."""
        wanted = dict(wanted)
        vendor, reset, speed = (
            wanted.pop("vendor", None),
            wanted.pop("reset", False),
            wanted.pop("speed", None),
        )
        if vendor is not None and vendor not in self.of:
            raise BadControl(f"There is no vendor {vendor!r}; there are {', '.join(VENDORS)}.")
        if speed is not None and not (_is_number(speed) and speed > 0):
            raise BadControl("speed must be a number above 0.")
        changes = {name: _checked(name, value) for name, value in wanted.items()}
        self.speed = float(speed) if speed is not None else self.speed
        for name in [vendor] if vendor else list(self.of):
            mood = self.of[name] = Mood() if reset else self.of[name]
            for setting, value in changes.items():
                setattr(mood, setting, deque(value) if setting == "next" else value)

    def shown(self) -> dict[str, Any]:
        return {"speed": self.speed, "vendors": {name: mood.shown() for name, mood in self.of.items()}}


def _checked(name: str, value: Any) -> Any:
    if name not in {known.name for known in fields(Mood)}:
        raise BadControl(f"There is no setting {name!r}.")
    if name == "next":
        return _checked_faults(value)
    if name == "outage":
        if value not in OUTAGES:
            raise BadControl(f"outage must be one of {', '.join(map(repr, OUTAGES))}.")
        return value
    if name == "apply_share" and value is None:
        return None
    is_share = name.endswith("_rate") or name == "apply_share"
    if not _is_number(value) or value < 0 or (is_share and value > 1):
        raise BadControl(f"{name} must be a number {'from 0 to 1' if is_share else 'of at least 0'}.")
    return float(value)


def _checked_faults(value: Any) -> Iterable[str]:
    if not isinstance(value, list) or any(fault not in FAULTS and fault != "none" for fault in value):
        raise BadControl(f"next must be a list of faults: none, {', '.join(FAULTS)}.")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
