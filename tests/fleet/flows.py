"""Workflows of the fleet's tests: one with every guard, one that waits for a person, one that sleeps."""

from __future__ import annotations

from typing import Any

from runs.workflow import Context, KeyMemory, Retry, Vendor, Workflow
from tests.fleet.play import play

QUICK = Retry(attempts=5, first=0.2, factor=1.0, ceiling=1.0)
TIMEOUT_SECONDS = 60

trip = Workflow("trip")


@trip.step(title="Pack the bag")
def pack(ctx: Context) -> Any:
    return play(ctx)


@trip.effect(
    title="Quote each leg", vendor=Vendor("Pricebook"), timeout=TIMEOUT_SECONDS, repeat_ok=True, retry=QUICK
)
def quote(ctx: Context) -> Any:
    for item in ctx.items(ctx.input.get("legs", []), key=str):
        item.save(play(ctx))
    return {"legs": list(ctx.item_results)}


@trip.effect(
    title="Reserve the seat",
    vendor=Vendor("Seatbank"),
    timeout=TIMEOUT_SECONDS,
    keyed=KeyMemory(hours=24),
    retry=QUICK,
)
def reserve(ctx: Context) -> Any:
    return play(ctx)


@trip.effect(title="Charge the card", vendor=Vendor("Cardline"), timeout=TIMEOUT_SECONDS, retry=QUICK)
def charge(ctx: Context) -> Any:
    return play(ctx)


@trip.step(title="Close the trip")
def close(ctx: Context) -> Any:
    return play(ctx)


# One slow pure step and nothing else to lose: a process may die inside it.
hike = Workflow("hike")


@hike.step(title="Walk")
def walk(ctx: Context) -> Any:
    return play(ctx)


@hike.step(title="Rest")
def rest(ctx: Context) -> Any:
    return play(ctx)


visa = Workflow("visa")


@visa.step(title="Ask the consul")
def ask(ctx: Context) -> Any:
    play(ctx)
    return {"answer": ctx.wait_for_signal("stamped", may="manager")}


@visa.step(title="File the visa")
def file(ctx: Context) -> Any:
    return play(ctx)


night = Workflow("night")


@night.step(title="Sleep")
def sleep(ctx: Context) -> Any:
    play(ctx)
    ctx.sleep_until(float(ctx.input["for"]))
    return {"slept": True}


@night.step(title="Wake")
def wake(ctx: Context) -> Any:
    return play(ctx)
