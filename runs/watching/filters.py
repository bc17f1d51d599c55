"""Which rows a list asks for, in the database's terms: the facts behind a word."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

from runs.states import TERMINAL, UNFINISHED, Status
from runs.words import BY_KEY, OTHER, WORDS, Facts, Group, Lease, Wake, Word, word_for

ALL = "all"
OPEN = "open"
_FLAG = (False, True)

# What may stand in ?state=: everything, everything unfinished, a group of words, or one word.
STATES = (ALL, OPEN, Group.ATTENTION, Group.MENDING, Group.ON_ITS_WAY, *BY_KEY)


def every_fact() -> list[Facts]:
    """Each combination that a row can be in, for a known status."""
    return [
        Facts(str(status), lease, wake, *flags)
        for status, lease, wake in product(Status, Lease, Wake)
        for flags in product(_FLAG, repeat=3)
    ]


def words_of(state: str) -> tuple[Word, ...]:
    """The words that a state or group asks for."""
    if state in BY_KEY:
        return (BY_KEY[state],)
    return tuple(word for word in WORDS if word.group == state)


@cache
def parameters(state: str) -> dict[str, Any]:
    """The filter of orders.sql. The statuses are repeated for the planner's sake."""
    if state == ALL:
        return _parameters(None, None)
    if state == OPEN:
        return _parameters(None, [str(s) for s in UNFINISHED])
    words = words_of(state)
    facts = [f for f in every_fact() if word_for(f) in words]
    late = state == Group.ATTENTION
    among = sorted({f.status for f in facts} | ({str(s) for s in UNFINISHED} if late else set()))
    return _parameters([_key(f) for f in facts], None if OTHER in words else among, late, OTHER in words)


def holds(state: str, facts: Facts) -> bool:
    """The same question of one row in memory: does it belong on a list of this state?"""
    if state == ALL:
        return True
    if state == OPEN:
        return facts.status not in TERMINAL
    return word_for(facts) in words_of(state) or (state == Group.ATTENTION and facts.late)


def _parameters(
    words: list[str] | None, among: list[str] | None, late: bool = False, other: bool = False
) -> dict[str, Any]:
    return {
        "words": words,
        "unfinished": None if among is None else [s for s in among if s not in TERMINAL],
        "ended": None if among is None else [s for s in among if s in TERMINAL],
        "late": late,
        "other": other,
        "known": [str(s) for s in Status],
    }


def _key(f: Facts) -> str:
    flags = (str(flag).lower() for flag in (f.tried, f.slow, f.late))
    return "|".join((f.status, f.lease, f.wake, *flags))
