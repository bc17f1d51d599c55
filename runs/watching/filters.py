"""Which rows a state asks for, in the database's terms: the facts behind its words."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from itertools import product

from runs.states import UNFINISHED, Status
from runs.words import BY_KEY, OTHER, WORDS, Facts, Group, Lease, Wake, Word, word_for

ALL = "all"
OPEN = "open"
_FLAG = (False, True)

# What may stand in ?state=: everything, everything unfinished, a group of words, or one word.
STATES = (ALL, OPEN, Group.ATTENTION, Group.MENDING, Group.ON_ITS_WAY, Group.FINISHED, *BY_KEY)


def every_fact() -> list[Facts]:
    """Each combination that a row can be in, for a known status."""
    return [
        Facts(str(status), lease, wake, *flags)
        for status, lease, wake in product(Status, Lease, Wake)
        for flags in product(_FLAG, repeat=4)
    ]


def words_of(state: str) -> tuple[Word, ...]:
    """The words that a state or group asks for."""
    if state == ALL:
        return WORDS
    if state == OPEN:
        return tuple(word for word in WORDS if word != OTHER and _statuses_of(word).issubset(UNFINISHED))
    if state in BY_KEY:
        return (BY_KEY[state],)
    return tuple(word for word in WORDS if word.group == state)


def statuses_of(words: Collection[Word]) -> list[str]:
    """The statuses under which rows of these words stand, for the planner's sake."""
    return sorted({status for word in words for status in _statuses_of(word)})


def keys_of(words: Collection[Word]) -> list[str]:
    """The keys of all unfinished facts behind these words, as _word.sql makes them of a row."""
    return [key for word in words for key in _keys_of(word)]


def holds(state: str, facts: Facts) -> bool:
    """The same question of one row in memory: does it belong on a list of this state?"""
    if state == ALL:
        return True
    if state == OPEN:
        return facts.status in UNFINISHED
    return word_for(facts) in words_of(state) or (state == Group.ATTENTION and facts.late)


@cache
def _statuses_of(word: Word) -> frozenset[str]:
    return frozenset(f.status for f in every_fact() if word_for(f) == word)


@cache
def _keys_of(word: Word) -> tuple[str, ...]:
    """An unfinished row is never seen, so half of the combinations need not be told."""
    return tuple(
        _key(f) for f in every_fact() if f.status in UNFINISHED and not f.seen and word_for(f) == word
    )


def _key(f: Facts) -> str:
    flags = (str(flag).lower() for flag in (f.tried, f.slow, f.late, f.seen))
    return "|".join((f.status, f.lease, f.wake, *flags))
