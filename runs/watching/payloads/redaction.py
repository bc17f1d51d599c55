"""The one function between a payload and whoever looks.

Inputs, results, items, reports of workers that had lost, error sentences and tracebacks, signals, reasons, labels:
every value that a worker, a buyer or a vendor wrote goes through `redacted` before a page, a stream, a list, an
export or a line of a log holds it. Sentences are built from what comes out of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from runs.watching.payloads.patterns import HIDDEN, masked
from runs.watching.payloads.secrets import looks_secret

__all__ = ["EVERYBODY", "HIDDEN", "Path", "Sight", "is_hidden", "redacted", "redacted_columns"]

Path = tuple[str, ...]
# Columns of reads in which workers, vendors or people wrote freely; reads.py sends them through here.
WRITTEN_FREELY = frozenset({"reason", "cursor_reason", "item", "signal", "told", "raw", "last_told"})
SENTENCE_MAX = 400


@dataclass(frozen=True)
class Sight:
    """What a viewer may see: `closed` are the paths of labels whose declaration leaves out all their roles."""

    closed: frozenset[Path] = frozenset()

    @cached_property
    def deepest(self) -> int:
        return max(map(len, self.closed), default=0)

    def is_closed(self, path: Path) -> bool:
        return path in self.closed


EVERYBODY = Sight()


def redacted(text: str, path: Path = (), sight: Sight = EVERYBODY) -> str:
    """The text of one value as it may be shown, or HIDDEN.

    `path` names the field it stands in, ("input", "buyer", "iban"), or is empty for free text. Hidden whole where the
    field's name looks secret or its label is closed to this viewer; else what gives itself away is replaced inside.
    """
    return HIDDEN if path and is_hidden(path, sight) else masked(text)


def is_hidden(path: Sequence[str], sight: Sight = EVERYBODY, is_number: bool = False, given: int = 0) -> bool:
    """Is what stands at this path hidden whole, with all that it holds? The first `given` names of the path are ours,
    such as a step's, and say nothing about the value."""
    if len(path) <= sight.deepest and sight.is_closed(tuple(path)):
        return True
    return len(path) > given and looks_secret(path[-1], is_number)


def redacted_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a read, its freely written columns redacted and cut to a sentence's length after that."""
    return {
        name: redacted(value)[:SENTENCE_MAX] if name in WRITTEN_FREELY and isinstance(value, str) else value
        for name, value in row.items()
    }
