"""The HTTP face of the vendors: a bare ASGI callable, and the protocol class that can break a connection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from uvicorn.protocols.http.h11_impl import H11Protocol

from .call import Answer, Request, Vendors
from .faults import BadControl
from .houses import DESKS, Desk

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

OPEN: dict[tuple[str, int], asyncio.BaseTransport] = {}


class BreakableProtocol(H11Protocol):
    """ASGI has no word for breaking a connection, so the transports are kept by the caller's address."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        OPEN[transport.get_extra_info("peername")[:2]] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        OPEN.pop(self.transport.get_extra_info("peername")[:2], None)
        super().connection_lost(exc)


class App:
    def __init__(self, vendors: Vendors) -> None:
        self.vendors = vendors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = await _read(receive)
        if raw is None:
            return
        try:
            body = json.loads(raw) if raw else {}
            answer = await self._route(scope["method"], scope["path"].strip("/"), _headers(scope), body, raw)
        except (ValueError, KeyError, TypeError, ArithmeticError) as error:
            answer = Answer(
                400, {"error": "bad_request", "detail": f"{type(error).__name__}: {error}"}, "bad_request"
            )
        if answer.status == 0:
            await _break(scope)
        else:
            await _answer(send, answer)

    async def _route(self, method: str, path: str, headers: dict[str, str], body: Any, raw: bytes) -> Answer:
        if path == "control":
            return self._control(method, body)
        if path == "healthz":
            return Answer(200, {"ok": True}, "healthy")
        desk = DESKS.get(path)
        if desk is not None and method == "POST":
            return await self.vendors.serve(Request(desk, headers, body, raw))
        place, _, reference = path.rpartition("/")
        if place in DESKS and method == "GET" and reference:
            return await self._look_up(DESKS[place], headers, unquote(reference))
        return Answer(404, {"error": "no_such_page"}, "not_found")

    async def _look_up(self, desk: Desk, headers: dict[str, str], reference: str) -> Answer:
        asked = Request(replace(desk, action="look_up"), headers, {"reference": reference}, b"")
        return await self.vendors.look_up(asked, reference)

    def _control(self, method: str, body: Any) -> Answer:
        if method == "POST":
            if not isinstance(body, dict):
                raise BadControl("The control request must be an object.")
            self.vendors.moods.change(body)
        counts = {"in_flight": self.vendors.in_flight, **self.vendors.ledger.counts}
        return Answer(200, self.vendors.moods.shown() | counts, "control")


async def _read(receive: Receive) -> bytes | None:
    """The whole body. None if its sender went away before its end: half a request has not reached a vendor."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def _answer(send: Send, answer: Answer) -> None:
    content = json.dumps(answer.body, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    if answer.status in (429, 503):
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


async def _break(scope: Scope) -> None:
    client = tuple(scope["client"])
    transport = OPEN.get(client)
    if transport is not None:
        transport.abort()  # type: ignore[attr-defined]
    # The server looks at whether the client is gone once we return, so let it notice first.
    while client in OPEN:
        await asyncio.sleep(0)


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
