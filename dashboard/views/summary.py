"""The head of the list: a title that is the answer, and counters that are filters."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from runs.queries import CAP, SEARCH_CAP, Count, Counts
from runs.words import DONE, Group, Word

from dashboard.filters.listing import Listing

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
    Group.FINISHED: "Finished",
}


@dataclass(frozen=True)
class Summary:
    """`groups` part all runs; `today` stands apart. `counted_at` is the age of the finished ones."""

    title: str
    text: str
    groups: list[dict[str, Any]] = field(default_factory=list)
    today: str = ""
    counted_at: datetime | None = None
    now: datetime | None = None
    is_counted: bool = True


def day_began(now: datetime) -> datetime:
    """Midnight in the viewer's zone."""
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)


def found_text(asked: Listing, runs: int | None) -> str:
    """The title over what a search found, or over what one follows; None where it was not found out in time."""
    if runs is None:
        return f"Orders for “{asked.q}”"
    if asked.is_mine and not asked.q:
        return f"{_number(runs)} {_orders(runs)} that you follow" if runs else "You follow no order yet"
    if not runs:
        return f"No order matches “{asked.q}”"
    verb = "matches" if runs == 1 else "match"
    return f"{runs:,}{'+' if runs >= SEARCH_CAP else ''} {_orders(runs)} {verb} “{asked.q}”"


def summary(counts: Counts | None, state: str, title: str = "") -> Summary:
    """The head for a list of this state. Without counts it says so: no number is made up."""
    if counts is None:
        return Summary(title or "Orders", "The orders could not be counted in time.", is_counted=False)
    groups = [_group(counts, group, state) for group in _TITLES]
    other = counts.group(Group.OTHER)[0]
    if other.runs:
        groups.append(_other(other, state))
    return Summary(
        title or _title(counts),
        _text(counts),
        [group for group in groups if group["is_worth_a_card"]],
        f"{counts.done_since:,}" if counts.counted_at else "",
        counts.counted_at,
        counts.now,
    )


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
    mending = counts.total(Group.MENDING)
    parts = [f"{counts.in_flight:,} in flight."] if counts.attention else []
    if mending:
        parts.append(
            "One is queued or mending by itself."
            if mending == 1
            else f"{mending:,} are queued or mending by themselves."
        )
    if counts.late:
        parts.append(f"{counts.late:,} past {'its' if counts.late == 1 else 'their'} promise.")
    if counts.counted_at and counts.everything:
        parts.append(f"{counts.everything:,} in all.")
    return " ".join(parts)


def _number(value: int) -> str:
    return _NUMBERS[value] if value < len(_NUMBERS) else f"{value:,}"


def _orders(value: int) -> str:
    return "order" if value == 1 else "orders"


def _group(counts: Counts, group: Group, state: str) -> dict[str, Any]:
    """Empty counters fold away, and an empty card with them, but for what needs attention: 0 is its answer."""
    shown = [
        count
        for count in counts.group(group)
        if count.runs or count.word.key == state or group == Group.ATTENTION or count.word == DONE
    ]
    unknown = group == Group.FINISHED and counts.counted_at is None
    return {
        "state": group,
        "title": _TITLES[group],
        "url": _url(group),
        "is_here": state == group or any(c.word.key == state for c in shown),
        "counts": [_count(c, state, unknown) for c in shown] + _past_promise(counts, group),
        "is_worth_a_card": bool(shown),
    }


def _count(count: Count, state: str, is_unknown: bool = False) -> dict[str, Any]:
    shown = f"{CAP:,}+" if count.is_capped else "–" if is_unknown else f"{count.runs:,}"
    return _shown(count.word, count.runs, shown, state)


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
    """Orders past their promise are counted under their own word; here they only ask for a person as well."""
    if group != Group.ATTENTION or not counts.late:
        return []
    return [
        {
            "state": "late",
            "text": "late, counted elsewhere",
            "icon": "slow",
            "tone": "red",
            "runs": counts.late,
            "sentence": "Not where they were promised to be by now. Each is counted under its own state as well.",
            "shown": f"{counts.late:,}",
            "url": reverse("orders") + "?" + urlencode({"state": group, "f": "due:<0m"}),
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
        "is_worth_a_card": True,
    }


def _url(state: str) -> str:
    return reverse("orders") + "?" + urlencode({"state": state})
