"""The same workflow a build later: charge is called charge_sender, stamp is new, label is gone."""

from __future__ import annotations

from typing import Any

from runs.workflow import Context, KeyMemory, Vendor, Workflow
from tests.fleet.play import play

parcel = Workflow("parcel", renamed={"charge": "charge_sender"})


@parcel.step(title="Weigh the parcel")
def weigh(ctx: Context) -> Any:
    return play(ctx)


@parcel.step(title="Stamp the parcel")
def stamp(ctx: Context) -> Any:
    return play(ctx)


@parcel.effect(title="Charge the sender", vendor=Vendor("Cardline"), timeout=60, keyed=KeyMemory(hours=24))
def charge_sender(ctx: Context) -> Any:
    return play(ctx)


@parcel.step(title="Send the parcel off")
def send(ctx: Context) -> Any:
    return play(ctx)
