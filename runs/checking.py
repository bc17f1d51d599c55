"""The log proves itself: epochs only rise, each has one owner, no row is missing, no acknowledged result is lost.

It is read in pages, each a statement of its own, while workers go on: what is checked of a run is true of
any moment between two of its commits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from runs import db
from runs.states import REPORTS, Kind

PAGE = 2000
RUNS_AT_ONCE = 200


@dataclass
class Checked:
    """How much was looked at."""

    rows: int = 0
    runs: int = 0


@dataclass
class _Story:
    """One run as its log has told it so far."""

    run_id: str
    last: db.Row | None = None
    owner: str | None = None
    results: dict[tuple[str, str], int] = field(default_factory=dict)

    def hear(self, row: db.Row) -> Iterator[str]:
        """The sentences against this row, given all earlier ones."""
        if row["kind"] not in REPORTS:
            if self.last is not None and row["kind"] != Kind.STARTED_RUN:
                yield from self._against(row, self.last)
            self._remember(row)

    def _against(self, row: db.Row, last: db.Row) -> Iterator[str]:
        where = f"Run {self.run_id}: row {row['id']} ({row['kind']})"
        if row["epoch"] < last["epoch"]:
            yield f"{where} has epoch {row['epoch']}, and row {last['id']} before it had {last['epoch']}."
        if row["cursor_before"] != last["cursor_after"]:
            yield f"{where} begins at another cursor than row {last['id']} ended at: a move between them is not logged."
        if row["owner_before"] != last["owner_after"]:
            yield (
                f"{where} found owner {_name(row['owner_before'])}, and row {last['id']} left "
                f"{_name(last['owner_after'])}: a change of hands between them is not logged."
            )
        owner = row["owner_after"]
        if row["epoch"] == last["epoch"] and owner and self.owner and owner != self.owner:
            yield f"{where} gives epoch {row['epoch']} to {owner}, and {self.owner} had that epoch already."

    def _remember(self, row: db.Row) -> None:
        if self.last is None or row["epoch"] != self.last["epoch"] or row["kind"] == Kind.STARTED_RUN:
            self.owner = None
        self.owner = row["owner_after"] or self.owner
        self.last = row
        if row["completed_step"] is not None and row["result_hash"]:
            self.results[row["completed_step"], row["result_hash"]] = row["id"]


def violations(checked: Checked, only: str = "") -> Iterator[str]:
    """One sentence for each thing that must not be, over the whole log or one run of it."""
    told: list[_Story] = []
    for row in _rows(only):
        checked.rows += 1
        if not told or told[-1].run_id != row["run_id"]:
            if len(told) == RUNS_AT_ONCE:
                yield from _ends(told)
                told = []
            checked.runs += 1
            told.append(_Story(row["run_id"]))
        yield from told[-1].hear(row)
    yield from _ends(told)


def _rows(only: str) -> Iterator[db.Row]:
    run_id, row_id = "", 0
    while page := db.rows("checking/page", run_id=run_id, id=row_id, only=only, page=PAGE):
        yield from page
        run_id, row_id = page[-1]["run_id"], page[-1]["id"]
        if len(page) < PAGE:
            return


def _ends(told: list[_Story]) -> Iterator[str]:
    """What the rows of the record say against the logs of these runs."""
    if not told:
        return
    run_ids = [story.run_id for story in told]
    for found in db.rows("checking/standing", run_ids=run_ids):
        yield f"Run {found['run_id']}: {_stands(found)} than row {found['id']}, its last, says."
    results = [(story.run_id, row_id, *key) for story in told for key, row_id in story.results.items()]
    columns: list[list[Any]] = [list(column) for column in zip(*results, strict=True)] or [[], [], [], []]
    lost = dict(zip(("run_ids", "ids", "steps", "hashes"), columns, strict=True))
    for found in db.rows("checking/results", **lost):
        yield (
            f"Run {found['run_id']}: the result of step {found['step']} that row {found['id']} acknowledged "
            "is neither in completed nor among what was displaced."
        )
    for found in db.rows("checking/stale", run_ids=run_ids):
        yield (
            f"Run {found['run_id']}: {found['what']} {found['id']} was written with epoch {found['epoch']} "
            f"after row {found['row_id']} had begun epoch {found['later']}."
        )


def _stands(found: db.Row) -> str:
    if found["told_epoch"] != found["epoch"]:
        return f"it stands at another epoch ({found['epoch']}, not {found['told_epoch']})"
    if found["moved"]:
        return "it stands at another cursor"
    return f"it is held by another owner ({_name(found['owner'])}, not {_name(found['told_owner'])})"


def _name(owner: str | None) -> str:
    return owner or "nobody"
