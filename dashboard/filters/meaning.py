"""What each key means: the words of a filter made into what is wanted, or into what was expected instead."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from runs.labels import folded
from runs.queries import ALL, STATES, Pattern, Plans, Span, Wanted
from runs.words import FAILED_SEEN, OTHER, Group

from dashboard.filters.grammar import Problem, Word, words

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_SPAN = re.compile(r"([<>])(\d{1,6})(s|min|m|h|d)")
_ENDS = frozenset({"done", "cancelled", FAILED_SEEN.key, Group.FINISHED.value})
# These ask where a run stands or what it waits for, and one that has ended does neither.
_OF_STANDING = ("step", "vendor", "build", "worker", "stuck", "due")


@dataclass(frozen=True)
class Filter:
    """A filter as it was understood. With problems it asks for nothing, and nothing is listed."""

    text: str = ""
    words: tuple[Word, ...] = ()
    problems: tuple[Problem, ...] = ()
    wanted: Wanted = field(default_factory=Wanted)

    @property
    def normal(self) -> str:
        """The same filter, each word once in its plainest form. Reads back as itself."""
        return " ".join(map(str, self.words))

    def without(self, word: Word) -> str:
        """This filter's text with one word less."""
        return " ".join(str(other) for other in self.words if other is not word)


@dataclass(frozen=True)
class Known:
    """What the words may name: the vendors and labels that the workflows have published."""

    vendors: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    @classmethod
    def of(cls, plans: Plans, roles: frozenset[str]) -> Known:
        labels, closed = plans.labels_for(roles)
        return cls(tuple(plans.vendors()), tuple(labels), tuple(closed))


def understood(text: str, known: Known, state: str = ALL) -> Filter:
    """Read a filter. `state` is where it looks unless it names states itself."""
    found, problems = words(text)
    wanted = Wanted((state,))
    for word in found:
        try:
            wanted = _MEANINGS.get(word.key, _label)(wanted, word, known)
        except _Refused as refusal:
            problems.append(Problem(str(word), str(refusal)))
    problems += _repeated(found) + _at_odds(found, wanted, state)
    return Filter(text.strip(), tuple(found), tuple(problems), wanted)


class _Refused(Exception):
    """What was expected of this word."""


def _state(wanted: Wanted, word: Word, known: Known) -> Wanted:
    states = [re.sub(r"[\s-]+", "_", name.strip().lower()) for name in word.value.split(",")]
    if not set(states) <= set(STATES):
        raise _Refused("one or more of " + ", ".join(sorted(STATES)))
    alone = {ALL, OTHER.key} & set(states)
    if len(set(states)) > 1 and (alone or 0 < len(_ENDS & set(states)) < len(set(states))):
        raise _Refused(
            "states of orders that have ended, or of orders that have not; all and other stand alone"
        )
    return replace(wanted, states=tuple(dict.fromkeys(states)))


def _pattern(part: str, form: Callable[[str], str]) -> Callable[[Wanted, Word, Known], Wanted]:
    def meant(wanted: Wanted, word: Word, known: Known) -> Wanted:
        return replace(wanted, **{part: Pattern(form(word.value), word.is_beginning)})  # type: ignore[arg-type]

    return meant


def _vendor(wanted: Wanted, word: Word, known: Known) -> Wanted:
    pattern = Pattern(folded(word.value), word.is_beginning)
    if not any(pattern.fits(folded(vendor)) for vendor in known.vendors):
        raise _Refused(_one_of(known.vendors) if known.vendors else "a vendor, and no workflow names one")
    return replace(wanted, vendor=pattern)


def _run(wanted: Wanted, word: Word, known: Known) -> Wanted:
    return replace(wanted, run=word.value + ("*" if word.is_beginning else ""))


def _span(part: str) -> Callable[[Wanted, Word, Known], Wanted]:
    def meant(wanted: Wanted, word: Word, known: Known) -> Wanted:
        match = _SPAN.fullmatch(word.value.lower().replace(" ", ""))
        if not match or word.is_beginning:
            raise _Refused(f"< or > and a time in s, m, h or d, such as {part}:<1h or {part}:>30m")
        span = Span(float(int(match[2]) * _UNITS[match[3]]), match[1] == ">")
        return replace(wanted, **{part: span})  # type: ignore[arg-type]

    return meant


def _label(wanted: Wanted, word: Word, known: Known) -> Wanted:
    if word.key in known.closed:
        raise _Refused(f"another key: your role may not look at {word.key}")
    if word.key not in known.labels:
        raise _Refused(_one_of([*_MEANINGS, *known.labels]))
    pattern = Pattern(folded(word.value), word.is_beginning)
    return replace(wanted, labels=(*wanted.labels, (word.key, pattern)))


def _one_of(names: Any) -> str:
    shown = list(names)[:20]
    return "one of " + ", ".join(shown) + (" …" if len(names) > len(shown) else "")


def _lowered(text: str) -> str:
    """As the database's indexes hold it: one Unicode form, in lower case."""
    return unicodedata.normalize("NFKC", text).lower()


def _repeated(found: list[Word]) -> list[Problem]:
    keys = [word.key for word in found]
    return [
        Problem(str(word), f"{word.key}: only once") for n, word in enumerate(found) if word.key in keys[:n]
    ]


def _at_odds(found: list[Word], wanted: Wanted, state: str) -> list[Problem]:
    if not {*_ENDS, OTHER.key} & set(wanted.states):
        return []
    ended = ", ".join(wanted.states).replace("_", " ")
    return [
        Problem(
            str(word),
            f"another state than {ended}: {word.key}: asks where an order stands, and these stand nowhere",
        )
        for word in found
        if word.key in _OF_STANDING
    ]


_MEANINGS: dict[str, Callable[[Wanted, Word, Known], Wanted]] = {
    "state": _state,
    "step": _pattern("step", folded),
    "vendor": _vendor,
    "build": _pattern("build", _lowered),
    "worker": _pattern("worker", _lowered),
    "order": _pattern("order", _lowered),
    "run": _run,
    "changed": _span("changed"),
    "stuck": _span("stuck"),
    "due": _span("due"),
}
