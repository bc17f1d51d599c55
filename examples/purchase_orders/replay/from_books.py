"""What the vendors' books tell of the same replay: nothing but calls, who made them, and when they were answered."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from examples.purchase_orders.replay.history import GUARD, ORDER
from examples.purchase_orders.vendors.books import Books, Call
from runs.workflow import Guard

Key = tuple[str, str, int]  # run, owner, epoch
LAST_STEP = max(ORDER, key=ORDER.__getitem__)
UNPROTECTED = [step for step, guard in GUARD.items() if guard is Guard.UNPROTECTED]
# A question that settled nothing: whoever asked gave the run back to ask again later.
UNSETTLED = {"not_found", "key_in_use"}


@dataclass
class Visit:
    """The calls that one worker made for one run under one claim."""

    key: Key
    calls: list[Call] = field(default_factory=list)

    @property
    def run_id(self) -> str:
        return self.key[0]

    @property
    def first_at(self) -> float:
        return self.calls[0].received_at.timestamp()

    @property
    def last_answer_at(self) -> float:
        return max((call.answered_at.timestamp() for call in self.calls if call.answered_at), default=0.0)

    def open_at(self, moment: float) -> bool:
        """Was a call in a vendor's hands at that moment?"""
        return any(
            call.received_at.timestamp() <= moment
            and (call.answered_at is None or call.answered_at.timestamp() > moment)
            for call in self.calls
        )


class Witness:
    """died tells when each worker's process ended, by owner: the one thing that a vendor cannot see."""

    def __init__(self, books: Books, died: dict[str, float]) -> None:
        self.books, self.died = books, died
        self.by_key: dict[Key, Visit] = {}
        self.visits: dict[str, list[Visit]] = defaultdict(list)
        for call in books.calls:
            key = (call.run_id, call.owner or "", call.epoch or 0)
            if key not in self.by_key:
                self.by_key[key] = Visit(key)
                self.visits[call.run_id].append(self.by_key[key])
            self.by_key[key].calls.append(call)

    def finished(self) -> set[str]:
        return {run_id for run_id, step, _ in self.books.applied() if step == LAST_STEP}

    def unanswered(self) -> set[str]:
        """Runs that called for an unprotected effect and then went no further."""
        reached: dict[str, int] = defaultdict(lambda: -1)
        for call in self.books.calls:
            reached[call.run_id] = max(reached[call.run_id], ORDER.get(call.step, -1))
        return {run_id for run_id, step in reached.items() if step in {ORDER[name] for name in UNPROTECTED}}

    def cut(self) -> set[Key]:
        """Holds whose worker died while a vendor had its call."""
        return {
            visit.key
            for visit in self.by_key.values()
            if visit.key[1] in self.died and visit.open_at(self.died[visit.key[1]])
        }

    def handed_over(self) -> set[Key]:
        """Holds after which another worker went on, with no call left open."""
        cut = self.cut()
        return {
            visit.key
            for visits in self.visits.values()
            for visit, _ in pairwise(visits)
            if visit.key not in cut and visit.calls[-1].outcome not in UNSETTLED
        }

    def repeats(self) -> set[tuple[Key, str]]:
        """Steps called for again after a later step's call had come: whoever calls for that has the earlier result."""
        found: set[tuple[Key, str]] = set()
        for visits in self.visits.values():
            reached: dict[str, int] = {}
            for call in sorted((c for v in visits for c in v.calls), key=lambda call: call.received_at):
                step = ORDER.get(call.step, -1)
                if call.action != "look_up" and any(n > step for n in reached.values()):
                    found.add(((call.run_id, call.owner or "", call.epoch or 0), call.step))
                reached[call.step] = step
        return found

    def later_call_before(self, run_id: str, step: str, moment: float) -> bool:
        """Had a vendor been called for a later step of this run by then?"""
        return any(
            ORDER.get(call.step, -1) > ORDER[step] and call.received_at.timestamp() < moment
            for visit in self.visits.get(run_id, [])
            for call in visit.calls
        )

    def recoveries(self) -> list[tuple[Key, Visit, float]]:
        """Each cut hold that another followed, and the seconds from its worker's death to the next call."""
        cut = self.cut()
        return [
            (visit.key, after, after.first_at - self.died[visit.key[1]])
            for visits in self.visits.values()
            for visit, after in pairwise(visits)
            if visit.key in cut
        ]

    def applied_twice(self) -> list[Call]:
        """Effects that happened again although a key, a probe or a person stands before them."""
        return [
            call
            for call in self.books.repeats(by_generation=True)
            if GUARD.get(call.step) is not Guard.REPEAT_OK
        ]
