"""An errand of six steps, one of each guard, for workers that are processes of their own.

The vendor is a file: one line for every call that reached it, whoever made it. These books are the
oracle of the crash tests, and the database has no part in them.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from runs.context import Context
from runs.workflow import KeyMemory, Retry, Vendor, Workflow

BOOKS = "LEASEBOARD_TEST_BOOKS"
VENDOR = Vendor("Filebank")
QUICK = Retry(attempts=9, first=0.2, factor=1.0, ceiling=0.2)

errand = Workflow("errand")


def read(books: Path) -> list[dict[str, Any]]:
    """Every call that reached the vendor, in the order of its arrival."""
    return [json.loads(line) for line in books.read_text().splitlines()] if books.exists() else []


def _reach(ctx: Context) -> dict[str, Any]:
    """Call the vendor. The deadline check stands last before the send."""
    ctx.deadline_seconds()
    call = {
        "run": ctx.run_id,
        "step": ctx.step,
        "item": ctx.item.key if ctx.item else None,
        "key": ctx.idempotency_key,
        "owner": ctx.owner,
        "epoch": ctx.epoch,
        "attempt": ctx.attempt,
        "at": time.time(),
    }
    line = json.dumps(call) + "\n"
    books = os.open(os.environ[BOOKS], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(books, line.encode())
    finally:
        os.close(books)
    return {"receipt": ctx.idempotency_key[:8]}


def _known(ctx: Context) -> dict[str, Any] | None:
    found = [call for call in read(Path(os.environ[BOOKS])) if call["key"] == ctx.idempotency_key]
    return {"receipt": ctx.idempotency_key[:8], "found": True} if found else None


@errand.step(title="Prepare")
def prepare(ctx: Context) -> Any:
    return {"ready": True}


@errand.effect(title="Check credit", vendor=VENDOR, timeout=2, repeat_ok=True, retry=QUICK)
def credit(ctx: Context) -> Any:
    return _reach(ctx)


@errand.effect(title="Charge the card", vendor=VENDOR, timeout=2, retry=QUICK)
def charge(ctx: Context) -> Any:
    return _reach(ctx)


@errand.effect(title="Book the shipment", vendor=VENDOR, timeout=2, probe=_known, settle=1, retry=QUICK)
def book(ctx: Context) -> Any:
    return _reach(ctx)


@errand.effect(title="Activate the account", vendor=VENDOR, timeout=2, keyed=KeyMemory(hours=24), retry=QUICK)
def activate(ctx: Context) -> Any:
    return _reach(ctx)


@errand.effect(title="Send each line", vendor=VENDOR, timeout=2, retry=QUICK, keyed=KeyMemory(hours=24))
def lines(ctx: Context) -> Any:
    for item in ctx.items(["a", "b", "c"], key=str):
        item.save(_reach(ctx))
    return {"lines": len(ctx.item_results)}


@errand.step(title="Tidy up")
def tidy(ctx: Context) -> Any:
    return {"steps": sorted(ctx.results)}
