"""Which workflow the made-up runs belong to, and the words that they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runs import db
from runs.states import Guard, Status

BUYERS = [
    "Müller Maschinenbau", "Brandt & Söhne", "Kärntner Holzwerke", "Nordlicht Fahrzeugbau", "Ostsee Dichtungen",
    "Leitgeb Anlagenbau", "Zając Metal", "Coëlho Embalagens", "Järvinen Puutuote", "Weißhaupt Medizintechnik",
    "Thoma Werkzeuge", "Gąsiorowska Tkaniny",
]  # fmt: skip
SUPPLIERS = ["Alpenstahl", "Donau Dichtungen", "Baltic Bolts", "Rhein Rohre", "Skåne Skruv", "Vosges Bois"]
# Where the unfinished ones stand: most of them move.
STATUSES = [
    *[Status.STARTED] * 12, *[Status.PENDING] * 3, *[Status.WAITING] * 2,
    Status.HELD, Status.IN_DOUBT, Status.BLOCKED, Status.FAILED,
]  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """A workflow's name, and the first names and guards of its steps in order."""

    workflow: str
    steps: list[str]
    guards: list[str]


def plan(workflow: str) -> Plan:
    """From the newest catalogue that any worker published; where none did, nine steps of no meaning."""
    found = db.rows("loading/plan", workflow=workflow)
    steps: list[dict[str, Any]] = found[0]["steps"] if found else []
    if not steps:
        names = [f"step_{number}" for number in range(1, 10)]
        return Plan(workflow, names, [Guard.PURE.value] * len(names))
    return Plan(workflow, [str(step["first_name"]) for step in steps], [str(step["guard"]) for step in steps])
