"""The workflow of parcels as an earlier build declares it."""

from __future__ import annotations

from typing import Any

from runs.workflow import Context, KeyMemory, Vendor, Workflow
from tests.fleet.play import play

parcel = Workflow("parcel")


@parcel.step(title="Weigh the parcel")
def weigh(ctx: Context) -> Any:
    return play(ctx)


@parcel.effect(title="Charge the sender", vendor=Vendor("Cardline"), timeout=60, keyed=KeyMemory(hours=24))
def charge(ctx: Context) -> Any:
    return play(ctx)


@parcel.step(title="Stick the paper label on")
def label(ctx: Context) -> Any:
    return play(ctx)


@parcel.step(title="Send the parcel off")
def send(ctx: Context) -> Any:
    return play(ctx)
