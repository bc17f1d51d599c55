"""One way out to the vendors, and what each kind of answer means for the run.

Three meanings matter to a durable run: the request surely did nothing (`NotSent`), the vendor judged it and
said no (`Refused`), or nobody here can know (any other exception, a time-out above all).
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any
from urllib.parse import quote

import urllib3
from urllib3.exceptions import ConnectTimeoutError, HTTPError

from runs.workflow import Context, KeyInUse, NotSent, Refused

DEFAULT_URL = "http://127.0.0.1:8765"
CONNECT_SECONDS = 3.0
# What vendors document as "turned away at the door": the request was not looked at.
AT_THE_DOOR = {429, 503}
JUDGED = {402, 422}


class VendorFailed(Exception):
    """Nothing that came back, if anything did, tells whether the effect happened."""


def scaled(seconds: float, floor: float = 5.0) -> float:
    """A real vendor's seconds, where VENDOR_SPEED makes the vendors that many times faster.

    The floor leaves a busy machine time to answer at all, whatever the speed.
    """
    return max(min(seconds, floor), seconds / float(os.environ.get("VENDOR_SPEED", "1")))


def post(ctx: Context, path: str, body: dict[str, Any], key: str | None = None) -> dict[str, Any]:
    """Ask a vendor to do something. The key goes along only where the step is declared as keyed."""
    return _judged(path, _send(ctx, "POST", path, json.dumps(body).encode(), key))


def find(ctx: Context, path: str, reference: str) -> dict[str, Any] | None:
    """What the vendor has under this reference, or None where it says it has nothing."""
    try:
        answer = _send(ctx, "GET", f"{path}/{quote(reference, safe='')}", None, None)
        if answer.status == 404 and answer.json() == {"error": "not_found"}:
            return None
        return _judged(path, answer)
    except (NotSent, Refused) as error:
        # Both speak of the question that was asked here, never of the booking it asks about.
        raise VendorFailed(f"Asking did not help: {error}") from error


def _send(
    ctx: Context, method: str, path: str, body: bytes | None, key: str | None
) -> urllib3.BaseHTTPResponse:
    seconds = ctx.deadline_seconds()
    timeout = urllib3.Timeout(total=seconds, connect=min(CONNECT_SECONDS, seconds))
    url = f"{os.environ.get('VENDOR_SIMULATOR_URL', DEFAULT_URL)}/{path}"
    try:
        # No retries here: whether a call may be sent again is the record's decision, not the socket's.
        return _pool().request(
            method, url, body=body, headers=_headers(ctx, key), timeout=timeout, retries=False
        )
    except ConnectTimeoutError as error:
        # A refused connection is one of these too: no byte of the request has left.
        raise NotSent(f"{path} could not be reached.") from error
    except HTTPError as error:
        raise VendorFailed(f"{path} gave no answer: {type(error).__name__}.") from error


def _judged(path: str, answer: urllib3.BaseHTTPResponse) -> dict[str, Any]:
    said = f"{path} answered {answer.status}: {answer.data[:200].decode(errors='replace')}"
    if answer.status == 200:
        return dict(answer.json())
    if answer.status in AT_THE_DOOR and "retry-after" in answer.headers:
        raise NotSent(said)
    if answer.status in JUDGED and answer.json() == {"error": "declined"}:
        raise Refused(said)
    if answer.status == 409:
        raise KeyInUse(said)
    raise VendorFailed(said)


def _headers(ctx: Context, key: str | None) -> dict[str, str]:
    """Who calls: vendors print it on their statements, and a person can find the call by it."""
    item = ctx.item.key if ctx.item else None
    named = {"Run": ctx.run_id, "Step": ctx.step, "Item": item, "Owner": ctx.owner}
    counted = {"Epoch": ctx.epoch, "Attempt": ctx.attempt, "Generation": ctx.generation}
    headers = {f"X-{name}": quote(value, safe=" #:/") for name, value in named.items() if value is not None}
    headers |= {f"X-{name}": str(value) for name, value in counted.items()}
    headers["Content-Type"] = "application/json"
    return headers | ({"Idempotency-Key": key} if key is not None else {})


@cache
def _pool() -> urllib3.PoolManager:
    return urllib3.PoolManager(maxsize=64)


# Two processes must not write into one connection, so a forked worker opens its own.
os.register_at_fork(after_in_child=_pool.cache_clear)
