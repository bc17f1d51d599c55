"""Workflows for tests: one per guard, each `act` and then `tidy`; a loop of each kind; one that waits.

What a body does is told by the test, run by run: on(run_id, "act", body). Without that it returns a
small result. Workers that are processes of their own use tests.support.fleet_flows.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from runs.context import Context
from runs.workflow import KeyMemory, Label, Money, Retry, Vendor, Workflow

Told = Callable[[Context], Any]
VENDOR = Vendor("Testbank")
QUICK = Retry(attempts=3, first=1.0, factor=2.0, ceiling=60.0)

_bodies: dict[tuple[str, str], Told] = {}
_probes: dict[str, Told] = {}
calls: list[tuple[str, str, int, str]] = []


def on(run_id: str, step: str, body: Told) -> None:
    """What this step of this run does from now on."""
    _bodies[run_id, step] = body


def on_probe(run_id: str, probe: Told) -> None:
    _probes[run_id] = probe


def called(run_id: str, step: str) -> int:
    """How often the body of this step has begun."""
    return sum(1 for run, name, _, _ in calls if (run, name) == (run_id, step))


def keys_of(run_id: str, step: str = "act") -> list[str]:
    return [key for run, name, _, key in calls if (run, name) == (run_id, step)]


def _run(ctx: Context) -> Any:
    calls.append((ctx.run_id, ctx.step, ctx.epoch, ctx.idempotency_key))
    body = _bodies.get((ctx.run_id, ctx.step))
    return body(ctx) if body else {"done": ctx.step}


def _probe(ctx: Context) -> Any:
    probe = _probes.get(ctx.run_id)
    return probe(ctx) if probe else None


def _amount(ctx: Context) -> Money | None:
    told = ctx.input.get("amount")
    return Money(told, "EUR") if told else None


def _tidied(flow: Workflow) -> None:
    @flow.step(title="Tidy up")
    def tidy(ctx: Context) -> Any:
        return _run(ctx)


def _effect(name: str, **guard: Any) -> Workflow:
    flow = Workflow(
        name,
        labels=[Label("reference", "act.reference", searchable=True), Label("ref", "input.order_ref", True)],
    )

    @flow.effect(title="Act", vendor=VENDOR, timeout=5, amount=_amount, retry=QUICK, **guard)
    def act(ctx: Context) -> Any:
        return _run(ctx)

    _tidied(flow)
    return flow


unprotected = _effect("unprotected")
keyed = _effect("keyed", keyed=KeyMemory(hours=24))
probed = _effect("probed", probe=_probe, settle=3.0)
repeat_ok = _effect("repeat_ok", repeat_ok=True)

pure = Workflow("pure")


@pure.step(title="Act", retry=QUICK, stall_after=timedelta(minutes=15))
def act(ctx: Context) -> Any:
    return _run(ctx)


_tidied(pure)

loop = Workflow("loop")


@loop.effect(title="Look up each line", vendor=VENDOR, timeout=5, repeat_ok=True, amount=_amount, retry=QUICK)
def act(ctx: Context) -> Any:  # noqa: F811 - each workflow has an act
    for item in ctx.items(ctx.input["lines"], key=str):
        item.save(_run(ctx))
    return {"lines": len(ctx.item_results)}


_tidied(loop)

sums = Workflow("sums")


@sums.step(title="Add each line up")
def act(ctx: Context) -> Any:  # noqa: F811
    for item in ctx.items(ctx.input["lines"], key=str):
        item.save(_run(ctx))
    return {"lines": len(ctx.item_results)}


_tidied(sums)

charges = Workflow("charges")


@charges.effect(title="Charge each line", vendor=VENDOR, timeout=5, retry=QUICK)
def act(ctx: Context) -> Any:  # noqa: F811
    for item in ctx.items(ctx.input["lines"], key=str):
        item.save(_run(ctx))
    return {"lines": len(ctx.item_results)}


_tidied(charges)

careless = Workflow("careless")


@careless.step(title="Forget each line")
def act(ctx: Context) -> Any:  # noqa: F811
    return [item.key for item in ctx.items(ctx.input["lines"], key=str)]


_tidied(careless)

asking = Workflow("asking")


@asking.step(title="Ask a manager")
def act(ctx: Context) -> Any:  # noqa: F811
    _run(ctx)
    return {"answer": ctx.wait_for_signal("approved", may="manager")}


_tidied(asking)

napping = Workflow("napping")


@napping.step(title="Sleep on it")
def act(ctx: Context) -> Any:  # noqa: F811
    _run(ctx)
    ctx.sleep_until(float(ctx.input["seconds"]))
    return {"slept": True}


_tidied(napping)
renamed = Workflow("renamed", renamed={"charge": "charge_card"})


@renamed.effect(title="Charge the card", vendor=VENDOR, timeout=5, keyed=KeyMemory(hours=24), retry=QUICK)
def charge_card(ctx: Context) -> Any:
    return _run(ctx)


_tidied(renamed)
