"""What stops work for everybody, in sentences for the banner that every page carries."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.watching import reads
from runs.watching.payloads.redaction import redacted

SILENT_SECONDS = 60


def stops(db: BaseDatabaseWrapper) -> list[str]:
    """Empty on a good day."""
    found = reads.rows(db, "stops", {"silent": SILENT_SECONDS})[0]
    sentences = [_hold(hold) for hold in found["holds"]]
    if found["live"] and not found["free"]:
        workers = (
            "the one live worker is" if found["live"] == 1 else f"all {found['live']:,} live workers are"
        )
        sentences.append(f"Nothing can be claimed: {workers} bound by a drain.")
    return sentences


def _hold(hold: dict[str, Any]) -> str:
    parts = [
        f"calls to {hold['vendor']}" if hold["vendor"] else "",
        f"step {hold['step']} of {hold['workflow']}" if hold["step"] else "",
        f"every step of {hold['workflow']}" if hold["workflow"] and not hold["step"] else "",
    ]
    what = " in ".join(part for part in parts if part)
    return f"Emergency hold on {what}, by {hold['actor']}: {redacted(str(hold['reason']))}"
