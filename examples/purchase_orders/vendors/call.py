"""The life of one call: received, judged, applied, answered, and what can break in between."""

from __future__ import annotations

import asyncio
import hashlib
import random
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from .faults import Mood, Moods
from .houses import LOOK_UP_SECONDS, Desk
from .ledger import Ledger
from .memory import Memory

# Turned away before anything was done: a caller may take these two for certain.
DOOR = {"busy": (429, {"error": "too_many_requests"}), "unavailable": (503, {"error": "turned_away"})}


@dataclass(frozen=True)
class Answer:
    """What goes back to the caller; status 0 breaks the connection instead."""

    status: int
    body: dict[str, Any]
    outcome: str
    replayed: bool = False


@dataclass(frozen=True)
class Request:
    desk: Desk
    headers: dict[str, str]
    body: dict[str, Any]
    raw: bytes

    @property
    def key(self) -> str | None:
        return self.headers.get("idempotency-key") if self.desk.honours_keys else None

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.raw).hexdigest()[:16]

    def stated(self) -> dict[str, Any]:
        """Who calls, as the caller states it in its headers."""
        said = {
            name: unquote(self.headers[f"x-{name}"])
            for name in ("step", "item", "owner")
            if f"x-{name}" in self.headers
        }
        numbers = {name: _int(self.headers.get(f"x-{name}")) for name in ("epoch", "attempt", "generation")}
        return {"run_id": unquote(self.headers.get("x-run", "")), **said, **numbers}


class Vendors:
    def __init__(self, ledger: Ledger, memory: Memory, moods: Moods, seed: int) -> None:
        self.ledger, self.memory, self.moods, self.seed = ledger, memory, moods, seed
        self.in_flight = 0

    async def serve(self, request: Request) -> Answer:
        mood = self.moods.of[request.desk.vendor]
        chance = self._chance(request)
        seconds = request.desk.seconds(chance)
        fault = mood.fault(chance)
        if fault == "delay_arrival":
            await asyncio.sleep(mood.delay_seconds)
        call = self._received(request)
        self.in_flight += 1
        try:
            answer = await self._attend(call, request, mood, fault, seconds)
        finally:
            self.in_flight -= 1
        self.ledger.write(
            "answered", call, status=answer.status, outcome=answer.outcome, replayed=answer.replayed or None
        )
        return answer

    async def look_up(self, request: Request, reference: str) -> Answer:
        """A caller asks whether its booking exists. Only an outage disturbs this, never a single fault."""
        mood = self.moods.of[request.desk.vendor]
        call = self._received(request)
        await self._wait(LOOK_UP_SECONDS, mood)
        answer = self._looked_up(request, reference, mood)
        if mood.outage == "hang":
            await asyncio.sleep(mood.hang_seconds)
        self.ledger.write("answered", call, status=answer.status, outcome=answer.outcome)
        return answer

    def _looked_up(self, request: Request, reference: str, mood: Mood) -> Answer:
        if mood.outage:
            return (
                Answer(*DOOR[mood.outage], mood.outage) if mood.outage in DOOR else Answer(0, {}, mood.outage)
            )
        found = self.memory.booking(request.desk.vendor, reference)
        return Answer(200, found, "found") if found else Answer(404, {"error": "not_found"}, "not_found")

    def _received(self, request: Request) -> str:
        call = self.ledger.next_call()
        desk, reference = request.desk, request.body.get("reference")
        digest = request.digest if request.key else None
        who = {"vendor": desk.vendor, "action": desk.action, **request.stated()}
        key = request.headers.get("idempotency-key")
        self.ledger.write("received", call, **who, key=key, reference=reference, digest=digest)
        return call

    async def _attend(
        self, call: str, request: Request, mood: Mood, fault: str | None, seconds: float
    ) -> Answer:
        if fault in DOOR:
            return Answer(*DOOR[fault], fault)
        if fault == "drop_before":
            return Answer(0, {}, fault)
        key = request.key
        if key is None:
            return await self._perform(call, request, mood, fault, seconds)
        known = self.memory.known(request.desk.vendor, key, mood.key_memory_seconds)
        if known is None:
            self.memory.begin(request.desk.vendor, key, request.digest)
            try:
                return await self._perform(call, request, mood, fault, seconds)
            finally:
                self.memory.forget(request.desk.vendor, key)
        if known.digest != request.digest:
            return Answer(422, {"error": "key_reused_with_other_request"}, "key_reused")
        if known.answer is None:
            return Answer(409, {"error": "key_in_use"}, "key_in_use")
        return Answer(200, known.answer, "replayed", replayed=True)

    async def _perform(
        self, call: str, request: Request, mood: Mood, fault: str | None, seconds: float
    ) -> Answer:
        desk = request.desk
        share = desk.apply_share if mood.apply_share is None else mood.apply_share
        await self._wait(seconds * share, mood)
        if fault == "error_before":
            return Answer(500, {"error": "internal"}, fault)
        if fault == "refuse":
            await self._wait(seconds * (1 - share), mood)
            return Answer(desk.refusal, {"error": "declined"}, "refused")
        body = self._apply(call, request)
        await self._wait(seconds * (1 - share), mood)
        # The key stays in use until the vendor is done with the call, also where its caller has gone.
        if request.key is not None:
            self.memory.keep(desk.vendor, request.key, request.digest, body)
        if fault == "hang":
            await asyncio.sleep(mood.hang_seconds)
        if fault == "error_after":
            return Answer(500, {"error": "internal"}, fault)
        return Answer(0, {}, fault) if fault in ("drop_after", "hang") else Answer(200, body, "done")

    def _apply(self, call: str, request: Request) -> dict[str, Any]:
        """The effect happens here: on paper first, so that nothing was done that the books do not hold."""
        desk = request.desk
        body, bill = desk.answer(call, request.body)
        amount, currency = (str(bill[0]), bill[1]) if bill else (None, None)
        reference = request.body["reference"] if desk.findable else None
        remembered = body if request.key is not None or desk.findable else None
        self.ledger.write("applied", call, amount=amount, currency=currency, result=remembered)
        if reference is not None:
            self.memory.keep_booking(desk.vendor, reference, body)
        return body

    async def _wait(self, seconds: float, mood: Mood) -> None:
        if seconds > 0:
            await asyncio.sleep(seconds * mood.latency_factor / self.moods.speed)

    def _chance(self, request: Request) -> random.Random:
        # Drawn from what is called for and not from the order of arrival or the caller's random name:
        # two replays with one seed meet the same vendors.
        stated = request.stated()
        doing = [stated.get(part) for part in ("run_id", "step", "item", "epoch", "attempt")]
        return random.Random(f"{self.seed}/{request.desk.vendor}/{request.desk.action}/{doing}")


def _int(text: str | None) -> int | None:
    return int(text) if text is not None and text.lstrip("-").isdigit() else None
