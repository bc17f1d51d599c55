"""Reads the books and adds them up: which effects happened, for which run, and what was paid twice."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from .ledger import PATTERN


@dataclass(frozen=True, slots=True)
class Call:
    """One request that reached a vendor. `applied_at` is None where its effect never happened."""

    call: str
    vendor: str
    action: str
    run_id: str
    step: str
    item: str | None
    generation: int | None
    key: str | None
    owner: str | None
    epoch: int | None
    attempt: int | None
    reference: str | None
    digest: str | None
    received_at: datetime
    applied_at: datetime | None
    answered_at: datetime | None
    amount: Decimal
    currency: str | None
    replayed: bool
    outcome: str | None
    status: int | None
    result: dict[str, Any] | None

    @property
    def applied(self) -> bool:
        return self.applied_at is not None

    @property
    def effect(self) -> tuple[str, str, str | None]:
        return self.run_id, self.step, self.item


@dataclass(frozen=True, slots=True)
class Duplicates:
    """What one vendor did again although it had been done: `calls` counts the repeats, not the first."""

    vendor: str
    calls: int
    amount: Decimal
    currency: str | None


class Books:
    def __init__(self, calls: Iterable[Call]) -> None:
        self.calls = sorted(calls, key=lambda call: call.received_at)

    @classmethod
    def load(cls, folder: str | Path, hours: float | None = None) -> Books:
        """All calls in the books, or those of the last hours. An unfinished last line is left out."""
        return cls(_calls(_lines(Path(folder), hours)))

    def for_run(self, run_id: str) -> list[Call]:
        return [call for call in self.calls if call.run_id == run_id]

    def received(self, since: datetime | None = None, until: datetime | None = None) -> list[Call]:
        """Calls that reached a vendor in the half-open window, applied or not."""
        return [
            call
            for call in self.calls
            if (since is None or call.received_at >= since) and (until is None or call.received_at < until)
        ]

    def runs(self, since: datetime | None = None, until: datetime | None = None) -> set[str]:
        return {call.run_id for call in self.received(since, until)}

    def applied(self, by_generation: bool = False) -> dict[tuple[Any, ...], list[Call]]:
        """Effects that happened, by (run, step, item), in the order in which they happened.

        With `by_generation` the generation is the fourth part: a doing that a person asked for again after
        the first was judged is then an effect of its own.
        """
        effects: dict[tuple[Any, ...], list[Call]] = defaultdict(list)
        for call in sorted((c for c in self.calls if c.applied), key=lambda c: c.applied_at or c.received_at):
            effects[(*call.effect, call.generation) if by_generation else call.effect].append(call)
        return dict(effects)

    def repeats(self, by_generation: bool = False) -> list[Call]:
        """Every application of an effect after its first."""
        return [call for calls in self.applied(by_generation).values() for call in calls[1:]]

    def duplicates(self, by_generation: bool = False) -> list[Duplicates]:
        """The repeats by vendor and currency; currencies are never added together."""
        found: dict[tuple[str, str | None], list[Call]] = defaultdict(list)
        for call in self.repeats(by_generation):
            found[call.vendor, call.currency].append(call)
        return [
            Duplicates(vendor, len(calls), sum((call.amount for call in calls), Decimal(0)), currency)
            for (vendor, currency), calls in sorted(
                found.items(), key=lambda pair: (pair[0][0], pair[0][1] or "")
            )
        ]

    def spent(self) -> dict[tuple[str, str], Decimal]:
        """What each vendor billed or moved in all, by vendor and currency."""
        sums: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
        for call in self.calls:
            if call.applied and call.currency is not None:
                sums[call.vendor, call.currency] += call.amount
        return dict(sums)


def _lines(folder: Path, hours: float | None) -> Iterator[dict[str, Any]]:
    oldest = ""
    if hours is not None:
        oldest = (datetime.now(UTC) - timedelta(hours=hours)).strftime("books-%Y-%m-%dT%H.jsonl")
    for path in sorted(folder.glob(PATTERN)):
        if path.name < oldest:
            continue
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    yield json.loads(line)
                except ValueError:
                    continue


def _calls(lines: Iterable[dict[str, Any]]) -> Iterator[Call]:
    facts: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for line in lines:
        facts[line["call"]][line["event"]] = line
    for call, events in facts.items():
        # The receipt may lie in an hour that is no longer kept; what remains cannot be attributed.
        if "received" in events:
            yield _call(call, events["received"], events.get("applied", {}), events.get("answered", {}))


def _call(call: str, received: dict[str, Any], applied: dict[str, Any], answered: dict[str, Any]) -> Call:
    return Call(
        call=call,
        vendor=received["vendor"],
        action=received["action"],
        run_id=received.get("run_id", ""),
        step=received.get("step", ""),
        item=received.get("item"),
        generation=received.get("generation"),
        key=received.get("key"),
        owner=received.get("owner"),
        epoch=received.get("epoch"),
        attempt=received.get("attempt"),
        reference=received.get("reference"),
        digest=received.get("digest"),
        received_at=datetime.fromisoformat(received["at"]),
        applied_at=datetime.fromisoformat(applied["at"]) if applied else None,
        answered_at=datetime.fromisoformat(answered["at"]) if answered else None,
        amount=Decimal(applied.get("amount", "0")),
        currency=applied.get("currency"),
        replayed=bool(answered.get("replayed", False)),
        outcome=answered.get("outcome"),
        status=answered.get("status"),
        result=applied.get("result"),
    )
