"""A workflow whose one step waits, as a slow vendor's answer is waited for: runs in flight cost what they hold."""

from __future__ import annotations

import time
from typing import Any

from runs.workflow import Context, Vendor, Workflow

NAME = "bench_waiting"
SECONDS = 25.0

workflow = Workflow(NAME)


@workflow.effect(title="Wait for the vendor", vendor=Vendor("Slowpost"), timeout=90, repeat_ok=True)
def wait(ctx: Context) -> dict[str, Any]:
    time.sleep(SECONDS)
    return {"waited": SECONDS}
