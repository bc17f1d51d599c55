"""What bodies of test workflows do: they note the call in the books, and then what the run's input tells them.

The books stand for the vendors' own: a file outside the record's database, one line for each call that
reached its body, appended whole. ``FLEET_FOLDER`` says where; gates are files beside it.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from runs.context import Context

FOLDER = Path(os.environ.get("FLEET_FOLDER", "."))
POLL_SECONDS = 0.05


def play(ctx: Context) -> dict[str, Any]:
    """One call: noted, then as long as told. input[step] may hold gate (wait until the test opens it),
    seconds, and exit (the process ends at once with this status)."""
    item = ctx.item.key if ctx.item else None
    note(ctx, item)
    told = ctx.input.get(ctx.step) or {}
    if gate := told.get("gate"):
        _wait_for(FOLDER / "gates" / (f"{gate}-{item}" if item else gate))
    time.sleep(float(told.get("seconds", 0)))
    if "exit" in told:
        os._exit(int(told["exit"]))
    return {"by": ctx.step, "item": item}


def note(ctx: Context, item: str | None) -> None:
    line = {
        "run": ctx.run_id, "step": ctx.step, "item": item, "key": ctx.idempotency_key, "owner": ctx.owner,
        "epoch": ctx.epoch, "at": time.time(),
    }  # fmt: skip
    books = os.open(FOLDER / "books", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(books, json.dumps(line).encode() + b"\n")
    finally:
        os.close(books)


def _wait_for(gate: Path) -> None:
    while not gate.exists():
        time.sleep(POLL_SECONDS)
