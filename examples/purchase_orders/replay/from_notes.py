"""The history as the old code's notes tell it."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

from examples.purchase_orders.replay.history import EFFECTS, LOOPING, End, History, Hold, Mark, Money
from examples.purchase_orders.replay.notes import Reader


class _Run:
    def __init__(self, run_id: str) -> None:
        self.run_id, self.status = run_id, "started"
        self.holds: list[Hold] = []
        self.called: set[tuple[str, str | None]] = set()
        self.price: Money | None = None

    def take(self, fact: dict[str, Any], died: dict[str, float]) -> None:
        at, event = fact["at"], fact["event"]
        if event == "taken":
            self.end_dead(died)
            self.holds.append(Hold(self.run_id, fact["owner"], 0, at))
        elif event in ("began", "item"):
            self._begin(fact)
        elif event == "done":
            self._of(fact).marks.append(Mark(fact["step"], at, done=True))
            self.price = _money(fact["price"]) or self.price
        else:
            self.status = "done" if event == "finished" else self.status
            self._of(fact).close(End.OVER if event == "finished" else End.RETRY, at)

    def _of(self, fact: dict[str, Any]) -> Hold:
        return next(hold for hold in reversed(self.holds) if hold.owner == fact["owner"])

    def _begin(self, fact: dict[str, Any]) -> None:
        step, item = fact["step"], fact.get("item")
        call = (step, item)
        buys = step in EFFECTS and (item is not None or step not in LOOPING)
        again = buys and call in self.called
        if buys:
            self.called.add(call)
        amount = _money(fact.get("amount"))
        self._of(fact).marks.append(Mark(step, fact["at"], item=item, again=again, amount=amount))

    def end_dead(self, died: dict[str, float]) -> None:
        for hold in self.holds:
            if hold.end is End.OPEN and hold.owner in died:
                hold.close(End.CUT, died[hold.owner])
                last = hold.marks[-1] if hold.marks else None
                hold.inside = last.step if last and not last.done else None


def load(folder: Path, deaths: dict[int, float]) -> History:
    """deaths tells when each process ended, by its id."""
    facts = sorted(Reader(folder).news(), key=lambda fact: fact["at"])
    died = {
        fact["owner"]: deaths[fact["pid"]]
        for fact in facts
        if fact["event"] == "booted" and fact["pid"] in deaths
    }
    runs: dict[str, _Run] = {}
    for fact in facts:
        if fact["event"] != "booted":
            runs.setdefault(fact["run_id"], _Run(fact["run_id"])).take(fact, died)
    for run in runs.values():
        run.end_dead(died)
    prices = {run.run_id: run.price for run in runs.values() if run.price}
    return History(
        {run.run_id: run.holds for run in runs.values()},
        {run.run_id: run.status for run in runs.values()},
        died,
        prices,
    )


def unfinished(facts: list[dict[str, Any]]) -> dict[str, list[int]]:
    """Numbers of the orders that each owner has taken and neither finished nor failed, by owner."""
    open_: dict[str, dict[str, int]] = defaultdict(dict)
    for fact in facts:
        if fact["event"] == "taken":
            open_[fact["owner"]][fact["run_id"]] = fact["number"]
        elif fact["event"] in ("finished", "failed"):
            open_[fact["owner"]].pop(fact["run_id"], None)
    return {owner: sorted(runs.values()) for owner, runs in open_.items()}


def _money(amount: dict[str, str] | None) -> Money | None:
    return (Decimal(amount["amount"]), amount["currency"]) if amount else None
