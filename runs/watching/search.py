"""Find runs by what a caller knows: a number, its end, a name, a reference, a worker."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.labels import folded
from runs.watching import reads
from runs.watching.wanted import Pattern

SEARCH_CAP = 200
LONGEST = 200


def search(db: BaseDatabaseWrapper, text: str, closed: Collection[str] = ()) -> list[str]:
    """Ids of the runs that these words name. An exact hit alone drives the beginnings out.

    `closed` names labels that the reader may not see: those find nothing for them.
    """
    typed = text.replace("\0", "").strip()
    text = normalised(text)
    if not text:
        return []
    params = {
        "typed": typed,
        "text": text,
        "lowered": text.lower(),
        "folded": folded(text),
        "prefix": Pattern(folded(text), is_beginning=True).like(),
        "order_prefix": Pattern(text.lower(), is_beginning=True).like(),
        "closed": list(closed),
        "cap": SEARCH_CAP,
    }
    hits = reads.rows(db, "search", params)
    return _best([(r["run_id"], r["rank"]) for r in hits])


def normalised(text: str) -> str:
    """Trimmed, single spaces, one Unicode form: what a person pastes is what was stored."""
    return " ".join(unicodedata.normalize("NFKC", text.replace("\0", "")).split())[:LONGEST]


def _best(hits: Iterable[tuple[str, int]]) -> list[str]:
    hits = list(hits)
    exact = [run_id for run_id, rank in hits if rank < 4]
    return exact or [run_id for run_id, _ in hits]
