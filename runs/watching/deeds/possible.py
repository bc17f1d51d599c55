"""Which verbs a person may try on a run that stands like this, and of the others why not.

The statements decide; this only keeps a button from being shown that they would refuse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runs.states import Status

MOVES = (Status.PENDING, Status.STARTED, Status.WAITING)
STANDS = (Status.HELD, Status.BLOCKED)
_FROM: dict[str, tuple[Status, ...]] = {
    "take_over": MOVES,
    "hold": MOVES,
    "lift": (*MOVES, Status.HELD),
    "cancel": (*MOVES, *STANDS),
    "flag": (*MOVES, *STANDS),
    "retry_failed": (Status.FAILED, Status.BLOCKED),
    "mark_seen": (Status.FAILED,),
    "rewind": (Status.PENDING, Status.WAITING, *STANDS, Status.FAILED),
    "nudge": MOVES,
    "signal": (Status.WAITING,),
}
_STANDS_AT: dict[str, str] = {
    Status.DONE: "It is done.",
    Status.CANCELLED: "It is cancelled.",
    Status.FAILED: "It has failed.",
    Status.IN_DOUBT: "It is in doubt: its case is resolved first.",
    Status.HELD: "It is on hold: lift the hold first.",
    Status.BLOCKED: "It is held until someone looks.",
    Status.STARTED: "A step is under way.",
    Status.WAITING: "It waits.",
    Status.PENDING: "It stands before its step.",
}


def why_not(deed: str, row: Mapping[str, Any]) -> str:
    """Empty where the verb may be tried; else one sentence. `row` is a line's: status, lease, marks, seen."""
    status = row["status"]
    if status not in set(Status):
        named = f"“{status}”" if status else "none"
        return f"Its status is {named}, which this version does not know, so nothing here acts on it."
    if status not in _FROM[deed]:
        return _STANDS_AT[status]
    check = _CHECKS.get(deed)
    return check(row) if check else ""


def _marked(mark: str, sentence: str) -> Any:
    return lambda row: sentence if mark in row["marks"] else ""


def _take_over(row: Mapping[str, Any]) -> str:
    return "No worker holds it: there is nobody to take it from." if row["lease"] == "none" else ""


def _lift(row: Mapping[str, Any]) -> str:
    return "" if row["status"] == Status.HELD or "hold" in row["marks"] else "No hold is asked for."


def _rewind(row: Mapping[str, Any]) -> str:
    return "A worker holds it: hold it or take it over first." if row["lease"] == "good" else ""


def _nudge(row: Mapping[str, Any]) -> str:
    return "A worker holds it and is at work." if row["lease"] == "good" else ""


_CHECKS: dict[str, Any] = {
    "take_over": _take_over,
    "hold": _marked("hold", "A hold is asked for already."),
    "lift": _lift,
    "cancel": _marked("cancel", "It is being cancelled already."),
    "flag": _marked("flag", "It is flagged already."),
    "mark_seen": lambda row: "Its failure is marked seen." if row.get("seen") else "",
    "rewind": _rewind,
    "nudge": _nudge,
}
