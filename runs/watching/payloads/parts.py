"""Which payloads a run holds, and each of them as it may be shown: its beginning, the whole, or one field."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.watching import reads
from runs.watching.payloads.redaction import Path, redacted
from runs.watching.payloads.scan import as_written
from runs.watching.payloads.tree import EDGE, Tree, rewritten, tree
from runs.watching.rows import Line

PREVIEW_CHARS = 32 * 1024
DOWNLOAD_BYTES = 16 * 1024 * 1024
RESULTS_NAMED, OUTPUTS_NAMED, ITEMS_PAGE, ITEM_CHARS = 60, 20, 50, 400


class Part(StrEnum):
    INPUT = "input"
    RESULT = "result"
    SIGNALS = "signals"
    OUTPUT = "output"


@dataclass(frozen=True)
class Ref:
    """Names one payload of a run: a result by its step, what stands beside the row by its id."""

    part: Part
    step: str = ""
    id: int = 0

    @property
    def root(self) -> Path:
        """Where labels' paths say that it stands."""
        return (self.step or self.part.value,)


@dataclass(frozen=True)
class Named:
    """A payload as the page lists it. `size` is in bytes, None where reckoning it would cost too much."""

    ref: Ref
    title: str
    size: int | None
    kind: str = ""
    attempt: int | None = None
    epoch: int | None = None
    at: datetime | None = None


@dataclass(frozen=True)
class Index:
    input: Named
    results: list[Named]
    results_left_out: int
    outputs: list[Named]
    has_older_outputs: bool
    signals: int


@dataclass(frozen=True)
class Shown:
    """A payload's beginning, redacted. `is_whole` is false where a download has more."""

    ref: Ref
    tree: Tree
    size: int

    @property
    def is_whole(self) -> bool:
        return self.tree.is_whole


@dataclass(frozen=True)
class ItemRow:
    id: int
    item: str
    tree: Tree
    size: int
    epoch: int
    attempt: int
    at: datetime


class TooLarge(Exception):
    """More than a page will redact at once; `size` is in bytes."""

    def __init__(self, size: int) -> None:
        super().__init__(f"This payload has {size:,} bytes; up to {DOWNLOAD_BYTES:,} are redacted here.")
        self.size = size


class Payloads:
    """Reads of payloads over one connection. Whatever leaves here is redacted, but for what `field` gives."""

    def __init__(self, db: BaseDatabaseWrapper) -> None:
        self._db = db

    def index(self, line: Line) -> Index | None:
        """What there is, without reading it. None where the run is gone."""
        found = reads.row(self._db, "payloads", {"run_id": line.run_id, "limit": RESULTS_NAMED})
        if found is None:
            return None
        outputs = reads.rows(self._db, "outputs", {"run_id": line.run_id, "limit": OUTPUTS_NAMED})
        results = [_result(line, name, size) for name, size in found["results"] or []]
        results.sort(
            key=lambda named: (line.plan.place(named.ref.step) is None, line.plan.place(named.ref.step) or 0)
        )
        return Index(
            Named(Ref(Part.INPUT), "Input", found["input_bytes"]),
            results,
            found["result_count"] - len(results),
            [_output(line, r) for r in outputs[:OUTPUTS_NAMED]],
            len(outputs) > OUTPUTS_NAMED,
            found["told_count"],
        )

    def shown(self, line: Line, ref: Ref, chars: int = PREVIEW_CHARS, most: int = 400) -> Shown | None:
        """The beginning of one payload; None where there is none."""
        found = self._read(line, ref, chars + EDGE)
        if found is None:
            return None
        return Shown(ref, tree(found["payload"], ref.root, line.sight, most), found["bytes"])

    def whole(self, line: Line, ref: Ref) -> str | None:
        """All of one payload as JSON, redacted. Raises TooLarge."""
        found = self._read(line, ref, DOWNLOAD_BYTES + 1)
        if found is None:
            return None
        if found["bytes"] > DOWNLOAD_BYTES:
            raise TooLarge(found["bytes"])
        return rewritten(found["payload"], ref.root, line.sight)

    def field(self, line: Line, ref: Ref, path: Path) -> str | None:
        """One field as it is, unredacted, its first 32 KB; None where it is not there. For a reveal, and only there:
        the caller writes down who asked and why, in the same transaction."""
        found = self._read(line, ref, PREVIEW_CHARS, path[1:])
        return as_written(found["payload"]) if found else None

    def items(self, line: Line, step: str, after: int | None) -> tuple[list[ItemRow], bool]:
        """A page of a looping step's finished items, those behind row `after`, and whether there is a further one."""
        params = {
            "run_id": line.run_id,
            "step": step,
            "after": after,
            "size": ITEM_CHARS,
            "limit": ITEMS_PAGE,
        }
        found = reads.rows(self._db, "item_results", params)
        return [_item(line, step, r) for r in found[:ITEMS_PAGE]], len(found) > ITEMS_PAGE

    def _read(self, line: Line, ref: Ref, chars: int, path: Path = ()) -> dict[str, Any] | None:
        params = {
            "run_id": line.run_id,
            "part": ref.part.value,
            "step": ref.step,
            "id": ref.id,
            "limit": chars,
            "path": list(path),
        }
        found = reads.row(self._db, "payload", params)
        return found if found and found["payload"] is not None else None


def _result(line: Line, name: str, size: Any) -> Named:
    return Named(
        Ref(Part.RESULT, name), line.plan.step(name).title, int(size) if str(size).isdigit() else None
    )


_KINDS = {
    "error": "Error",
    "refused": "Refused report",
    "displaced": "Replaced result",
    "raw": "Text as it came",
}


def _output(line: Line, r: reads.Row) -> Named:
    return Named(
        Ref(Part.OUTPUT, r["step"], r["id"]), line.plan.step(r["step"]).title, r["bytes"],
        str(_KINDS.get(r["kind"]) or r["kind"]), r["attempt"], r["epoch"], r["at"],
    )  # fmt: skip


def _item(line: Line, step: str, r: reads.Row) -> ItemRow:
    shown = tree(r["payload"] or "null", (step,), line.sight, 24)
    return ItemRow(r["id"], redacted(r["item"]), shown, r["bytes"] or 0, r["epoch"], r["attempt"], r["at"])
