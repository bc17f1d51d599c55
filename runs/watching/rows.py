"""A run as a line of the list: its word, how far it is, whom it waits for, what happened last."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import blake2b
from typing import Any

from runs.states import Status
from runs.watching import reads, sentences, turns
from runs.watching.links import dom_key
from runs.watching.payloads.redaction import Sight, redacted
from runs.watching.plans import Plan, StepPlan
from runs.words import (
    FAILED,
    LOST,
    MOVING,
    QUEUED,
    RETRYING,
    Facts,
    Lease,
    Wake,
    Word,
    word_for,
)

# A lapsed lease is retaken by the next sweep (5 s) and a claim; what takes longer is told in red.
MENDS_WITHIN = timedelta(seconds=10)


@dataclass(frozen=True)
class Line:
    """One run, from a row of orders.sql or run.sql and its workflow's plan."""

    row: reads.Row
    plan: Plan
    roles: frozenset[str] = frozenset()

    def seen_by(self, roles: frozenset[str]) -> Line:
        """The same run, as somebody with these roles may see it. Without roles: what everybody may."""
        return replace(self, roles=roles)

    @cached_property
    def sight(self) -> Sight:
        return self.plan.sight(self.roles)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.row[name]
        except KeyError:
            raise AttributeError(name) from None

    @cached_property
    def key(self) -> str:
        return dom_key(self.row["run_id"])

    @cached_property
    def facts(self) -> Facts:
        r = self.row
        return Facts(
            r["status"], Lease(r["lease"]), Wake(r["wake"]), r["tried"], r["slow"], r["late"], r["seen"]
        )

    @cached_property
    def word(self) -> Word:
        return word_for(self.facts)

    @property
    def word_text(self) -> str:
        """The word as it stands on the badge: with the count of tries, or the unknown status itself."""
        if self.word == RETRYING and self.row["attempt"]:
            return f"Retrying {self.row['attempt'] + 1}" + (
                f" of {self.step.attempts}" if self.step.attempts else ""
            )
        if self.word.key == "other":
            return f"unknown: {self.row['status']}" if self.row["status"] else "no status"
        return self.word.text

    @property
    def tone(self) -> str:
        return "red" if self.word == LOST and self.is_overdue else self.word.tone

    @property
    def has_no_usual_time(self) -> bool:
        """Nobody can say yet whether this is slow: too few runs have passed this step."""
        return self.word == MOVING and not self.row["paced"]

    @property
    def is_overdue(self) -> bool:
        """Its worker is lost and nobody has taken it over in time."""
        return bool(self.mends_by and self.row["now"] > self.mends_by)

    @cached_property
    def step(self) -> StepPlan:
        return self.plan.step(self.row["step"])

    @cached_property
    def place(self) -> int | None:
        """How many steps are behind it; all of them once it is done."""
        return (
            len(self.plan.steps) if self.row["status"] == Status.DONE else self.plan.place(self.row["step"])
        )

    @property
    def is_finished(self) -> bool:
        return self.word.group == "finished" or self.word == FAILED

    @property
    def item_share(self) -> float | None:
        """How much of a looping step is measured as done, 0 to 1."""
        done, total = self.row["items_done"], self.row["items_total"]
        return min(1.0, done / total) if total and done is not None else None

    @property
    def progress_text(self) -> str:
        if self.row["status"] == Status.DONE:
            return f"{len(self.plan.steps)} of {len(self.plan.steps)}" if self.plan.is_known else ""
        if self.place is None:
            return f"step {self.row['step']}" if self.row["step"] else "no step"
        text = (
            f"{self.place + 1} of {len(self.plan.steps)} · {self.step.title[:1].lower()}{self.step.title[1:]}"
        )
        done, total = self.row["items_done"], self.row["items_total"]
        return f"{text}, item {min(done + 1, total):,} of {total:,}" if total and done is not None else text

    @cached_property
    def labels(self) -> dict[str, tuple[str, str]]:
        """Label name -> (value, currency), redacted. One that is closed to these roles is left out."""
        given, sight = self.row["labels"], self.sight
        if not isinstance(given, dict):
            return {}
        open_ones = {n: p for n, p in given.items() if not sight.is_closed(self.plan.label_path(n))}
        return {n: (redacted(str(p[0]), self.plan.label_path(n)), str(p[1])) for n, p in open_ones.items()}

    @property
    def order(self) -> str:
        return str(self.row["order_ref"] or self.row["run_id"])

    @property
    def buyer(self) -> str:
        return self.labels.get("buyer", ("", ""))[0]

    @property
    def amount(self) -> tuple[str, str] | None:
        return self.labels.get("amount")

    @property
    def mends_by(self) -> datetime | None:
        lapsed = self.row["lease_expires_at"]
        return lapsed + MENDS_WITHIN if self.word == LOST and lapsed else None

    @property
    def renewed_at(self) -> datetime | None:
        """When the lease was last made good: a renewal or a commit sets it one TTL ahead."""
        expires: datetime | None = self.row["lease_expires_at"]
        return (
            expires - timedelta(seconds=self.row["ttl_seconds"])
            if expires and self.row.get("ttl_seconds")
            else None
        )

    @property
    def if_it_died(self) -> str:
        """What another worker would do with the attempt under way, by the guard in its start mark."""
        return (
            turns.IF_IT_DIED.get(self.row["guard"] or "", "") if self.row["status"] == Status.STARTED else ""
        )

    @cached_property
    def due(self) -> datetime | None:
        """When the promise ends, while it stands and is not kept yet."""
        seconds = self.plan.promise_left_at(self.row["step"])
        if seconds is None or self.is_finished or not self.row["created_at"]:
            return None
        due: datetime = self.row["created_at"] + timedelta(seconds=seconds)
        return due

    @property
    def due_tone(self) -> str:
        if self.due is None:
            return ""
        left = (self.due - self.row["now"]).total_seconds()
        return "red" if left <= 0 else "amber" if left < 60 else ""

    @property
    def waiting_on(self) -> str:
        return turns.waiting_on(self.word, self.step, self.row)

    @property
    def waiting_until(self) -> datetime | None:
        if self.row["wake"] == "ahead":
            wake: datetime | None = self.row["wake_at"]
            return wake
        return self.mends_by

    @property
    def waiting_since(self) -> datetime | None:
        """Since when it could have been taken by a worker: since its time came, or since it last moved."""
        if self.word != QUEUED:
            return None
        wake: datetime | None = self.row["wake_at"]
        moved: datetime | None = self.row.get("last_at") or self.row["updated_at"]
        return max((moment for moment in (wake, moved) if moment), default=None)

    @property
    def last(self) -> sentences.Entry | None:
        """The last row of the log as a sentence."""
        return sentences.last_entry(self.row, self.plan) if self.row.get("last_id") else None

    @cached_property
    def print(self) -> str:
        """The fingerprint in eight characters: a viewer's page says by it what it shows already."""
        return blake2b(repr(self.fingerprint).encode(), digest_size=4).hexdigest()

    @property
    def fingerprint(self) -> tuple[Any, ...]:
        """What a viewer could see change; renewals of a good lease and passing time are not in it."""
        r = self.row
        seen = (
            r["status"],
            r["step"],
            r["epoch"],
            r["attempt"],
            r["item"],
            r["items_done"],
            r["lease_owner"],
        )
        return (
            *seen,
            self.word.key,
            self.tone,
            self.due_tone,
            r["wake_at"],
            r.get("last_id"),
            tuple(r["marks"]),
            str(r["labels"]),
        )
