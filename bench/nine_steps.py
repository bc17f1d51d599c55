"""The workflow of the benchmarks: nine steps whose bodies cost nothing, so that what is left is the record."""

from __future__ import annotations

from typing import Any

from runs.workflow import Context, Money, Vendor, Workflow

NAME = "bench_nine"
INPUT = {"order_ref": "PO-2026-0041", "channel": "portal"}
STEPS = tuple(f"step_{number}" for number in range(1, 10))
FEE = Money("0.40", "EUR")

workflow = Workflow(NAME)
creditline = Vendor("Creditline")


def answer(step: str) -> dict[str, Any]:
    """What a step returns: a small result, as the steps of a purchase order have."""
    return {"reference": f"{step}-000417", "status": "accepted", "score": 712, "currency": "EUR"}


def _declare(name: str, *, effect: bool) -> None:
    def step(ctx: Context) -> dict[str, Any]:
        return answer(ctx.step)

    step.__name__ = name
    if effect:
        workflow.effect(title=name, vendor=creditline, timeout=90, repeat_ok=True, amount=lambda ctx: FEE)(
            step
        )
    else:
        workflow.step(title=name)(step)


for _number, _name in enumerate(STEPS):
    _declare(_name, effect=_number % 2 == 1)
