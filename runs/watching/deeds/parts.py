"""What the sentences of a preview are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from runs.states import Status
from runs.watching.history.calls import Call, Known
from runs.watching.run import RunPage


@dataclass(frozen=True)
class Preview:
    """`grave` is the sentence of a red face. `calls` are named with what becomes of their money: `calls_mean`."""

    now: list[str]
    after: list[str]
    kept: list[str]
    grave: str = ""
    in_flight: Call | None = None
    calls_mean: str = ""
    calls: list[Call] = field(default_factory=list)


def in_flight(page: RunPage) -> Call | None:
    """The call whose answer nobody has yet."""
    under_way = [call for call in page.history.calls if call.known is Known.UNDER_WAY]
    return under_way[-1] if under_way and page.line.row["status"] == Status.STARTED else None


def real_calls(page: RunPage) -> list[Call]:
    return [call for call in page.history.calls if call.known in (Known.YES, Known.PERHAPS)]


def clock(moment: datetime | None) -> str:
    return f"{timezone.localtime(moment):%H:%M:%S}" if moment else "a moment ago"


def here(page: RunPage) -> str:
    return f"“{page.line.step.title}”"


def next_step(page: RunPage) -> str:
    """The step after the one where it stands."""
    place = page.line.place
    steps = page.line.plan.steps
    return f"“{steps[place + 1].title}”" if place is not None and place + 1 < len(steps) else "the end"


def owner_of(page: RunPage) -> str:
    return str(page.line.row["lease_owner"] or "").partition("#")[0]


def now_of(page: RunPage) -> list[str]:
    line, owner = page.line, owner_of(page)
    lease = {
        "good": f"{owner} holds it; its lease is good until {clock(line.row['lease_expires_at'])}.",
        "lapsed": f"{owner} had it; its lease lapsed at {clock(line.row['lease_expires_at'])}.",
        "none": "No worker holds it.",
    }[line.lease]
    return [f"{line.word_text}, at {here(page)}.", lease, f"Epoch {line.epoch}."]


def is_marked(page: RunPage) -> bool:
    """Would a hold, cancel or flag only be marked, for the next boundary to honour?"""
    return bool(page.line.lease == "good") or page.line.row["status"] == Status.STARTED


def at_boundary(page: RunPage) -> str:
    """Before what, and once what is recorded, a mark is honoured."""
    if page.line.row["items_total"]:
        return f"before the next item of {here(page)}, once the one under way is recorded"
    return f"before {next_step(page)}, once {here(page)} is recorded"


def onward(page: RunPage) -> list[str]:
    return [
        f"It stands before {here(page)}; the next free worker claims it.",
        f"Epoch {page.line.epoch + 1}, for nobody yet.",
    ]
