"""A workflow with one long loop: 50,000 items of a millisecond's work each."""

from __future__ import annotations

import hashlib
import time
from typing import Any

from runs.workflow import Context, Workflow

NAME = "bench_items"
ITEM_SECONDS = 0.001
BLOCK = bytes(8192)

workflow = Workflow(NAME)


def work(blocks: int) -> str:
    """Real work: hashing. The interpreter's lock is given up for each block, as in most real work."""
    digest = hashlib.sha256()
    for _ in range(blocks):
        digest.update(BLOCK)
    return digest.hexdigest()


def blocks_of_an_item() -> int:
    """How many blocks take a millisecond here, by the quickest of some tries."""
    seconds = []
    for _ in range(20):
        began = time.perf_counter()
        work(100)
        seconds.append(time.perf_counter() - began)
    return max(1, round(100 * ITEM_SECONDS / min(seconds)))


@workflow.step(title="Go through many items")
def loop(ctx: Context) -> dict[str, Any]:
    blocks, worked = int(ctx.input["blocks"]), 0.0
    began = time.perf_counter()
    for item in ctx.items(range(int(ctx.input["items"])), key=str):
        started = time.perf_counter()
        digest = work(blocks)
        worked += time.perf_counter() - started
        item.save({"sku": item.value, "digest": digest[:16]})
    return {"seconds": time.perf_counter() - began, "worked": worked}
