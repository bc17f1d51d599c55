"""How many runs stand under each word: those that have not ended exactly, the ended ones from the tally."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.watching import reads
from runs.words import (
    CANCELLED,
    DONE,
    FAILED,
    FAILED_SEEN,
    OTHER,
    WORDS,
    Facts,
    Group,
    Lease,
    Wake,
    Word,
    word_for,
)

CAP = 10_000


@dataclass(frozen=True)
class Count:
    word: Word
    runs: int

    @property
    def is_capped(self) -> bool:
        return self.word == OTHER and self.runs > CAP


@dataclass(frozen=True)
class Counts:
    """`late` runs are past their promise and counted under another word than one that needs attention.
    `counted_at` is the time of the ended ones' count, None before the first."""

    runs: dict[str, int]
    late: int
    done_since: int
    counted_at: datetime | None
    now: datetime

    def of(self, word: Word) -> int:
        return self.runs.get(word.key, 0)

    def group(self, group: str) -> list[Count]:
        return [Count(word, self.of(word)) for word in WORDS if word.group == group]

    def total(self, group: str) -> int:
        return sum(count.runs for count in self.group(group))

    @property
    def everything(self) -> int:
        """All runs: the words part them, so their numbers add up."""
        return sum(self.runs.values())

    @property
    def attention(self) -> int:
        """In doubt, needs a person, failed unseen, and whatever else is past its promise."""
        return self.total(Group.ATTENTION) + self.late

    @property
    def in_flight(self) -> int:
        """Not ended; a failure has."""
        return sum(self.total(g) for g in (Group.MENDING, Group.ON_ITS_WAY)) + (
            self.total(Group.ATTENTION) - self.of(FAILED)
        )


def counts(db: BaseDatabaseWrapper, pace: str, since: datetime) -> Counts:
    """The counters; runs are done today if they were done since `since`."""
    runs = dict.fromkeys((word.key for word in WORDS), 0)
    late = 0
    for r in reads.rows(db, "counts", {"steps": pace}):
        facts = Facts(
            r["status"], Lease(r["lease"]), Wake(r["wake"]), r["tried"], r["slow"], r["late"], r["seen"]
        )
        word = word_for(facts)
        runs[word.key] += r["runs"]
        late += r["runs"] if facts.late and word.group != Group.ATTENTION else 0
    ended = reads.row(db, "ended", {"cap": CAP, "since": since})
    assert ended is not None
    runs |= {word.key: ended[word.key] for word in (DONE, CANCELLED, OTHER)}
    # The tally is some seconds old and knows no difference between seen and unseen.
    runs[FAILED_SEEN.key] = max(0, ended["failed"] - runs[FAILED.key])
    return Counts(runs, late, ended["done_since"], ended["counted_at"], ended["now"])
