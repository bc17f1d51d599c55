"""The head of the list: a title that is the answer, and counters that are filters."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from runs.queries import CAP, Count, Counts
from runs.words import DONE, Group, Word

_NUMBERS = (
    "No",
    "One",
    "Two",
    "Three",
    "Four",
    "Five",
    "Six",
    "Seven",
    "Eight",
    "Nine",
    "Ten",
    "Eleven",
    "Twelve",
)
_TITLES = {
    Group.ATTENTION: "Needs attention",
    Group.MENDING: "Mending itself",
    Group.ON_ITS_WAY: "On its way",
    Group.FINISHED: "Finished today",
}


@dataclass(frozen=True)
class Summary:
    title: str
    text: str
    groups: list[dict[str, Any]]


def day_began(now: datetime) -> datetime:
    """Midnight in the viewer's zone."""
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)


def summary(counts: Counts, state: str, title: str = "") -> Summary:
    groups = [_group(counts, group, state) for group in _TITLES]
    other = counts.group(Group.OTHER)[0]
    if other.runs:
        groups.append(_other(other, state))
    return Summary(title or _title(counts), _text(counts), groups)


def _title(counts: Counts) -> str:
    attention, flying = counts.attention, counts.in_flight
    if attention:
        verb = "needs" if attention == 1 else "need"
        return f"{_number(attention)} {_orders(attention)} {verb} attention"
    if not flying:
        return "Nothing is in flight"
    return (
        "The one order in flight is on its way" if flying == 1 else f"All {flying:,} orders are on their way"
    )


def _text(counts: Counts) -> str:
    """What the title does not say. Each number stands beside its word on the counters as well."""
    mending, done = counts.total(Group.MENDING), counts.of(DONE)
    parts = [f"{counts.in_flight:,} in flight."] if counts.attention else []
    if mending:
        parts.append(
            "One is queued or mending by itself."
            if mending == 1
            else f"{mending:,} are queued or mending by themselves."
        )
    if counts.late:
        parts.append(f"{counts.late:,} past {'its' if counts.late == 1 else 'their'} promise.")
    if not parts:
        parts.append(f"{'10,000+' if done > CAP else f'{done:,}'} finished today.")
    return " ".join(parts)


def _number(value: int) -> str:
    return _NUMBERS[value] if value < len(_NUMBERS) else f"{value:,}"


def _orders(value: int) -> str:
    return "order" if value == 1 else "orders"


def _group(counts: Counts, group: Group, state: str) -> dict[str, Any]:
    shown = [
        c
        for c in counts.group(group)
        if c.runs or c.word.key == state or group == Group.ATTENTION or c.word.key in ("moving", "done")
    ]
    url = _url(group if group != Group.FINISHED else "done")
    return {
        "state": group,
        "title": _TITLES[group],
        "url": url,
        "is_here": state == group or any(c.word.key == state for c in shown),
        "counts": [_count(c, state) for c in shown] + _past_promise(counts, group),
        "nothing": "nothing to mend",
    }


def _count(count: Count, state: str) -> dict[str, Any]:
    return _shown(count.word, count.runs, "10,000+" if count.is_capped else f"{count.runs:,}", state)


def _shown(word: Word, runs: int, shown: str, state: str) -> dict[str, Any]:
    return {
        "state": word.key,
        "text": word.text,
        "icon": word.icon,
        "tone": word.tone,
        "sentence": word.sentence,
        "runs": runs,
        "shown": shown,
        "url": _url(word.key),
        "is_here": state == word.key,
    }


def _past_promise(counts: Counts, group: Group) -> list[dict[str, Any]]:
    """Orders past their promise stand under their own word too; here they ask for a person as well."""
    if group != Group.ATTENTION or not counts.late:
        return []
    return [
        {
            "state": "late",
            "text": "Late",
            "icon": "slow",
            "tone": "red",
            "runs": counts.late,
            "sentence": "Not where it was promised to be by now.",
            "shown": f"{counts.late:,}",
            "url": _url(group),
            "is_here": False,
        }
    ]


def _other(count: Count, state: str) -> dict[str, Any]:
    return {
        "state": "others",
        "title": "Not known here",
        "url": _url(count.word.key),
        "is_here": state == count.word.key,
        "counts": [_count(count, state)],
    }


def _url(state: str) -> str:
    return reverse("orders") + "?" + urlencode({"state": state})
