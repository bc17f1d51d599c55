"""What a list is asked for: states and conditions, put to the database as parameters and to one row in memory.

Both must give the same answer: the database fills a page, and the tailer judges by memory which moved runs are
news for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from runs.labels import folded
from runs.states import UNFINISHED
from runs.watching import filters
from runs.watching.filters import ALL, OPEN
from runs.watching.plans import Plans, StepPlan
from runs.watching.rows import Line
from runs.words import CANCELLED, DONE, FAILED, FAILED_SEEN, OTHER, Group, Word

ENDED = frozenset({DONE, CANCELLED, FAILED_SEEN, OTHER})
UNFINISHED_NAMES = [str(status) for status in UNFINISHED]


@dataclass(frozen=True)
class Pattern:
    """A text, or its beginning where a star stood at its end; compared without regard to case."""

    text: str
    is_beginning: bool = False

    def like(self) -> str:
        """As a LIKE pattern for a text that was folded before."""
        escaped = self.text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return escaped + ("%" if self.is_beginning else "")

    def fits(self, text: str) -> bool:
        return text.startswith(self.text) if self.is_beginning else text == self.text


@dataclass(frozen=True)
class Span:
    """More or less than so many seconds."""

    seconds: float
    is_over: bool

    def holds(self, seconds: float) -> bool:
        return seconds > self.seconds if self.is_over else seconds < self.seconds


@dataclass(frozen=True)
class Wanted:
    """A filter: its states, and what else must hold. A condition that nobody asked for is None or empty."""

    states: tuple[str, ...] = (ALL,)
    step: Pattern | None = None
    vendor: Pattern | None = None
    build: Pattern | None = None
    worker: Pattern | None = None
    order: Pattern | None = None
    run: str | None = None
    labels: tuple[tuple[str, Pattern], ...] = ()
    changed: Span | None = None
    stuck: Span | None = None
    due: Span | None = None

    @property
    def is_by_promise(self) -> bool:
        """What needs a person is listed by what was promised first, everything else newest first."""
        return self.states == (Group.ATTENTION,)

    @cached_property
    def is_of_standing(self) -> bool:
        """Can it be true only of runs that have not ended, or failed unseen? Those are few at any size."""
        stands = any((self.step, self.vendor, self.build, self.worker, self.stuck, self.due))
        return stands or (self.changed is not None and ALL in self.states) or not self._words & ENDED

    @cached_property
    def _words(self) -> frozenset[Word]:
        return frozenset(word for state in self.states for word in filters.words_of(state))

    def holds(self, line: Line, plans: Plans) -> bool:
        """Does this row belong on the list?"""
        if not any(filters.holds(state, line.facts) for state in self.states):
            return False
        if self.is_of_standing and line.word in ENDED:
            return False
        return self._stands(line, plans) and self._is_named(line) and self._is_of_age(line)

    def _stands(self, line: Line, plans: Plans) -> bool:
        at, owner = self._at(plans), (line.row["lease_owner"] or "").lower()
        return (
            (
                at is None
                or f"{line.row['workflow']}/{line.row['step']}" in at
                or (
                    self.vendor is None
                    and self.step is not None
                    and line.row["step"].lower() == self.step.text
                )
            )
            and (self.build is None or self.build.fits((line.row["build"] or "").lower()))
            and (
                self.worker is None
                or bool(owner and (self.worker.fits(owner) or self.worker.fits(owner.split("#")[0])))
            )
        )

    def _is_named(self, line: Line) -> bool:
        given = line.row["labels"] or {}
        return (
            (self.order is None or self.order.fits((line.row["order_ref"] or "").lower()))
            and self.run in (None, line.run_id)
            and all(name in given and want.fits(folded(str(given[name][0]))) for name, want in self.labels)
        )

    def _is_of_age(self, line: Line) -> bool:
        now, moved, due = line.row["now"], line.row["updated_at"], line.due
        spans = [span for span in (self.changed, self.stuck) if span]
        return (
            not spans or (moved and all(span.holds((now - moved).total_seconds()) for span in spans))
        ) and (self.due is None or (due is not None and self.due.holds((due - now).total_seconds())))

    def _at(self, plans: Plans) -> list[str] | None:
        """Where a run must stand, as workflow/step; None for anywhere."""
        if self.step is None and self.vendor is None:
            return None
        return [
            f"{plan.workflow}/{step.name}"
            for plan in plans
            for step in plan.steps
            if (self.step is None or _is_named(step, self.step))
            and (self.vendor is None or self.vendor.fits(folded(step.vendor)))
        ]

    def parameters(self, plans: Plans) -> dict[str, Any]:
        """The parameters of _wanted.sql."""
        still = [span for span in (self.changed, self.stuck) if span]
        labels = [{"name": name, "value": pattern.like()} for name, pattern in self.labels]
        return {
            "at": self._at(plans),
            # A step that no published workflow knows goes by the name in the record.
            "step": self.step.text if self.step and not self.vendor else None,
            "order": self.order.like() if self.order else None,
            "run": self.run,
            "worker": self.worker.like() if self.worker else None,
            "build": self.build.like() if self.build else None,
            "labels": json.dumps(labels) if labels else None,
            "still_over": max((span.seconds for span in still if span.is_over), default=None),
            "still_under": min((span.seconds for span in still if not span.is_over), default=None),
            "due_over": self.due.seconds if self.due and self.due.is_over else None,
            "due_under": self.due.seconds if self.due and not self.due.is_over else None,
        }

    def standing(self) -> dict[str, Any]:
        """Which rows standing.sql looks at."""
        words = self._words - ENDED - {FAILED}
        everything = bool({ALL, OPEN}.intersection(self.states))
        needs = Group.ATTENTION in self.states
        return {
            "statuses": UNFINISHED_NAMES if everything or needs else filters.statuses_of(words),
            "words": None if everything else filters.keys_of(words),
            "late": needs,
            "unseen": FAILED in self._words,
            "by_promise": self.is_by_promise,
        }

    def walked(self) -> dict[str, Any]:
        """Which rows orders.sql looks at."""
        words = frozenset() if ALL in self.states else self._words
        return {
            "statuses": filters.statuses_of(words - {OTHER}) if words - {OTHER} else None,
            "odd": words == {OTHER},
            "only_seen": FAILED_SEEN in words,
        }


def _is_named(step: StepPlan, wanted: Pattern) -> bool:
    """Its name or its title, or the first words of either: charge finds charge_card."""
    names = (folded(step.name.replace("_", " ")), folded(step.title))
    text = folded(wanted.text.replace("_", " "))
    return any(name == text or name.startswith(text if wanted.is_beginning else f"{text} ") for name in names)
