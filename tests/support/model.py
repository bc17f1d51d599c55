"""The record in thirty lines of Python: what one row must do, said a second time and another way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Cursor = dict[str, Any]
ENDED = ("done", "failed", "cancelled")
STOPS = {"cancel": "cancelled", "hold": "held"}


@dataclass
class Case:
    owner: str | None
    epoch: int
    cursor: Cursor
    held_epoch: int


@dataclass
class Row:
    """One run of the two steps act and tidy; the call of act is settled by its guard."""

    guard: str
    status: str = "pending"
    step: str = "act"
    attempt: int = 0
    epoch: int = 0
    owner: str | None = None
    lapsed: bool = False
    marks: set[str] = field(default_factory=set)
    completed: set[str] = field(default_factory=set)
    lapses: list[str] = field(default_factory=list)
    case: Case | None = None

    @property
    def nobody_holds(self) -> bool:
        return self.owner is None or self.lapsed

    @property
    def is_call(self) -> bool:
        """A started effect: nothing but its guard, its owner or a person settles it."""
        return self.status == "started" and self.step == "act" and self.guard != "pure"

    @property
    def is_unprotected(self) -> bool:
        return self.is_call and self.guard == "unprotected"

    def is_held_by(self, owner: str, epoch: int) -> bool:
        return (self.owner, self.epoch) == (owner, epoch)

    def let_go(self) -> None:
        self.owner, self.lapsed = None, False

    def honour(self) -> bool:
        """Cancel goes before hold; a run that has ended has ended. True where a mark stopped the run."""
        marks, self.marks = self.marks, set()
        if not marks or self.status in ENDED:
            return False
        self.status, self.attempt = STOPS["cancel" if "cancel" in marks else "hold"], 0
        self.let_go()
        return True

    def claim(self, owner: str) -> str:
        if self.status not in ("pending", "started") or not self.nobody_holds or self.is_unprotected:
            return "nothing"
        lapses = self.lapses + ([self.owner] if self.owner else [])
        marked = bool(self.marks) and not self.is_call
        self.epoch, self.lapses = self.epoch + 1, lapses
        self.let_go()
        if marked:
            self.honour()
            return "stopped"
        if len(lapses) >= 3 and len(set(lapses)) >= 2:
            self.status = "blocked"
            return "stopped"
        self.owner = owner
        return "ok"

    def begin(self) -> str:
        if self.marks and not self.is_call:
            self.honour()
            return "stopped"
        self.status, self.attempt, self.lapsed = "started", self.attempt + 1, False
        return "ok"

    def commit(self) -> str:
        self.completed.add(self.step)
        self.lapses = [] if self.step == "act" else self.lapses
        if self.step == "act":
            self.step, self.status, self.attempt, self.lapsed = "tidy", "started", 1, False
        else:
            self.status = "done"
            self.let_go()
        return "stopped" if self.honour() else "ok"

    def give_back(self) -> str:
        self.status = "pending"
        self.let_go()
        return "stopped" if self.honour() else "ok"

    def hold_in_doubt(self, cursor: Cursor, held_epoch: int) -> None:
        """The case names the call's owner and epoch; the row is held at held_epoch."""
        self.case = Case(self.owner, self.epoch, cursor, held_epoch)
        self.status, self.epoch = "in_doubt", held_epoch
        self.let_go()

    def land(self) -> None:
        self.case = None
        self.completed.add("act")
        self.step, self.status, self.attempt, self.lapses = "tidy", "pending", 0, []
        self.honour()

    def take_over(self, cursor: Cursor) -> bool:
        if self.status not in ("pending", "started"):
            return False
        self.lapses = []
        if self.is_unprotected:
            self.hold_in_doubt(cursor, self.epoch + 1)
        else:
            self.epoch += 1
            self.let_go()
        return True

    def mark(self, verb: str, seen_epoch: int, same_place: bool) -> bool:
        """Hold or cancel: a mark on a good lease or a started step, else at once at what was seen."""
        allowed = ("pending", "started", "held", "blocked") if verb == "cancel" else ("pending", "started")
        if self.status not in allowed:
            return False
        if self.status == "started" or (self.owner and not self.lapsed):
            fresh = verb not in self.marks
            self.marks.add(verb)
            return fresh
        if seen_epoch != self.epoch or not same_place:
            return False
        self.status, self.epoch = STOPS[verb], self.epoch + 1
        self.let_go()
        return True

    def lift(self) -> bool:
        if self.status == "held":
            self.status, self.epoch = "pending", self.epoch + 1
            self.marks.discard("hold")
            return True
        if "hold" in self.marks:
            self.marks.discard("hold")
            return True
        return False
