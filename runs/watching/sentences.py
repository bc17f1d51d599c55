"""Rows of the log as sentences, built from facts, titles and what redaction has let through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from runs.states import Kind
from runs.watching.plans import Plan
from runs.watching.signs import SIGNS


@dataclass(frozen=True)
class Entry:
    """One row of the log: a word with its icon and tone, and what happened in a sentence."""

    id: int
    at: datetime
    kind: str
    word: str
    icon: str
    tone: str
    text: str
    epoch: int
    row: dict[str, Any]

    @property
    def why(self) -> str:
        """The reason that its writer gave, redacted: a worker's error, or a person's words."""
        stands = self.row.get("cursor_reason") if self.kind in _REASON_IN_CURSOR else None
        return str(self.row.get("reason") or stands or "")

    @property
    def epoch_text(self) -> str:
        """A row that gave or took a lease shows the epoch that it made."""
        raised = self.row.get("lease_event") in ("claimed", "taken_over")
        return (
            f"epoch {self.epoch - 1} → {self.epoch}" if raised and self.epoch > 0 else f"epoch {self.epoch}"
        )


# These rest in the row with their reason; a later row of another kind still carries the same words.
_REASON_IN_CURSOR = frozenset({Kind.FAILED, Kind.BLOCKED, Kind.IN_DOUBT, Kind.HELD, Kind.CANCELLED})


def entry(r: dict[str, Any], plan: Plan, names: Mapping[str, str] = MappingProxyType({})) -> Entry:
    """The sentence for a row of log.sql. A kind that this version does not know shows as itself.

    `names` are short names of owners that stay clear where several of one name come into the same log.
    """
    r = r | {side: names.get(r[side], r[side]) for side in ("owner_before", "owner_after")}
    word, icon, tone = SIGNS.get(r["kind"], (r["kind"].replace("_", " "), "other", "grey"))
    text = _TEXTS.get(r["kind"], _plain)(r, plan)
    return Entry(r["id"], r["at"], r["kind"], word, icon, tone, text, r["epoch"], r)


def last_entry(r: dict[str, Any], plan: Plan) -> Entry:
    """The same from the last_ columns of orders.sql."""
    return entry(
        {key.removeprefix("last_"): value for key, value in r.items() if key.startswith("last_")}, plan
    )


def _title(plan: Plan, step: str | None) -> str:
    return plan.step(step).title if step else "The step"


def _who(owner: str | None) -> str:
    """A name that tells processes apart stands with a space before its #; an owner's whole name has none."""
    return owner.split("#")[0] if owner and " #" not in owner else owner or "a worker"


def _here(r: dict[str, Any]) -> str | None:
    step: str | None = r["began_step"] or r["step_after"] or r["step_before"]
    return step


def _plain(r: dict[str, Any], plan: Plan) -> str:
    return f"{_title(plan, _here(r))}: {r['kind'].replace('_', ' ')}"


def _claimed(r: dict[str, Any], plan: Plan) -> str:
    return f"{_who(r['owner_after'])} took it up at “{_title(plan, _here(r))}”"


def _taken_over(r: dict[str, Any], plan: Plan) -> str:
    if not r["owner_after"]:
        by = r["actor"] or "a person"
        return f"Taken from {_who(r['owner_before'])} by {by}; the next free worker gets it"
    new, old = _who(r["owner_after"]), _who(r["owner_before"])
    if new == old:
        # Two processes of one host share a name: what tells them apart is shown.
        new, old = r["owner_after"], r["owner_before"]
    text = f"{new} claimed it from {old}"
    if r["lapsed_at"]:
        text += f", {_seconds((r['at'] - r['lapsed_at']).total_seconds())} after that lease had lapsed"
    return text


def _step_started(r: dict[str, Any], plan: Plan) -> str:
    attempt = f", attempt {r['attempt']}" if (r["attempt"] or 1) > 1 else ""
    return f"{_title(plan, r['began_step'])}{attempt} began"


def _step_completed(r: dict[str, Any], plan: Plan) -> str:
    text = f"{_title(plan, r['completed_step'])}: done"
    if r["began_step"]:
        text += f"; next, {_lower(_title(plan, r['began_step']))}"
    return text + ("; handed over" if r["lease_event"] == "released" else "")


def _retry(r: dict[str, Any], plan: Plan) -> str:
    attempt = f"Attempt {r['attempt']} of" if r["attempt"] else "An attempt of"
    return f"{attempt} “{_title(plan, _here(r))}” did not work; it will be tried again"


def _waits(r: dict[str, Any], plan: Plan) -> str:
    return f"{_title(plan, _here(r))} waits; no worker is kept for it"


def _released(r: dict[str, Any], plan: Plan) -> str:
    return f"{_who(r['owner_before'])} gave it back before “{_title(plan, _here(r))}”"


def _in_doubt(r: dict[str, Any], plan: Plan) -> str:
    if r["lapsed_at"] and r["owner_before"]:
        silent = f"{_who(r['owner_before'])} went silent past its lease in “{_title(plan, _here(r))}”"
        return f"{silent}: the call may have happened, and no answer is recorded"
    return f"{_title(plan, _here(r))}: its call may have happened, and no answer is recorded"


def _failed(r: dict[str, Any], plan: Plan) -> str:
    tries = f" after {r['attempt']} tries" if (r["attempt"] or 0) > 1 else ""
    return f"{_title(plan, _here(r))} gave up{tries}"


def _blocked(r: dict[str, Any], plan: Plan) -> str:
    return f"Held at “{_title(plan, _here(r))}” until someone looks"


def _refused(r: dict[str, Any], plan: Plan) -> str:
    done = r["step_before"] or _here(r)
    return (
        f"{_who(r['owner_before'] or r['owner_after'])} came back and tried to record “{_title(plan, done)}”"
        f" with epoch {r['epoch']}. Nothing was changed"
    )


def _loss_noticed(r: dict[str, Any], plan: Plan) -> str:
    return (
        f"{_who(r['owner_before'] or r['owner_after'])} found that it no longer holds this run, and stopped"
    )


def _by_person(verb: str) -> Callable[[dict[str, Any], Plan], str]:
    def text(r: dict[str, Any], plan: Plan) -> str:
        by = f" by {r['actor']}" if r["actor"] else ""
        what = f": {r['told']}" if r.get("told") else ""
        return f"{verb}{by}{what}, at “{_title(plan, _here(r))}”"

    return text


def _seconds(value: float) -> str:
    return f"{value:.0f} s" if value < 120 else f"{value / 60:.0f} min"


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]


_TEXTS: dict[str, Callable[[dict[str, Any], Plan], str]] = {
    Kind.STARTED_RUN: lambda r, plan: "The order came in",
    Kind.CLAIMED: _claimed,
    Kind.TAKEN_OVER: _taken_over,
    Kind.STEP_STARTED: _step_started,
    Kind.STEP_COMPLETED: _step_completed,
    Kind.RETRY_SCHEDULED: _retry,
    Kind.WAITING: _waits,
    Kind.WOKEN: lambda r, plan: f"Its time came; {_who(r['owner_after'])} took it up",
    Kind.RELEASED: _released,
    Kind.HELD: _by_person("Put on hold"),
    Kind.LIFTED: _by_person("Hold lifted"),
    Kind.FLAGGED: _by_person("Flagged in doubt"),
    Kind.SIGNALLED: _by_person("Told something"),
    Kind.NUDGED: _by_person("Nudged"),
    Kind.IN_DOUBT: _in_doubt,
    Kind.RESOLVED: _by_person("Doubt resolved"),
    Kind.LANDED_LATE: lambda r, plan: (
        f"{_title(plan, r['completed_step'])}: its worker came back with the result"
    ),
    Kind.NOT_SENT: lambda r, plan: f"{_title(plan, _here(r))}: its worker says that the call was never sent",
    Kind.REWOUND: _by_person("Sent back"),
    Kind.RETRIED: _by_person("Tried again"),
    Kind.BLOCKED: _blocked,
    Kind.DONE: lambda r, plan: "Every step is finished",
    Kind.FAILED: _failed,
    Kind.CANCELLED: _by_person("Cancelled"),
    Kind.SEEN: _by_person("Marked seen"),
    Kind.EDITED: _by_person("Changed by hand in the database"),
    Kind.DELETED: lambda r, plan: "The row was deleted by hand",
    Kind.COMMIT_REFUSED: _refused,
    Kind.LOSS_NOTICED: _loss_noticed,
}
