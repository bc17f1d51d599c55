"""The streams of the live pages. Access is decided in a thread, and its connection handed back at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from dashboard import preferences
from dashboard.live import frames, watch
from dashboard.live.hub import Hub, Viewer
from dashboard.live.tailer import Tailer
from dashboard.offers import acting_rights
from dashboard.roles import SEE_ORDERS
from dashboard.viewers import Roles, roles_of
from dashboard.views.access import denied

COMMENT_SECONDS = 15.0
Judged = tuple[Roles, frozenset[str], int]

hub = Hub()
tailer = Tailer(hub)


async def orders_live(request: HttpRequest) -> HttpResponseBase:
    """Changes of the rows on a list's screen, its counters, and how many rows are new."""
    judged = await _judge(request)
    if isinstance(judged, HttpResponse):
        return judged
    return _stream(request, "orders", watch.parsed(request.GET), *judged)


async def run_live(request: HttpRequest) -> HttpResponseBase:
    """Changes of one run's page, until the run is finished."""
    judged = await _judge(request)
    if isinstance(judged, HttpResponse):
        return judged
    run_id = request.GET.get("run", "")
    if not run_id:
        raise Http404
    return _stream(request, "run", watch.parsed_run(request.GET, run_id), *judged)


orders_live.access = run_live.access = SEE_ORDERS  # type: ignore[attr-defined]


async def _judge(request: HttpRequest) -> HttpResponse | Judged:
    """The roles and rights of who may see orders. 401 ends an EventSource for good; a redirect would be followed."""
    return await sync_to_async(_judged, thread_sensitive=False)(request)


def _judged(request: HttpRequest) -> HttpResponse | Judged:
    try:
        if not request.user.is_authenticated:
            return HttpResponse("Sign in first.", status=401)
        if not request.user.has_perm(SEE_ORDERS):
            raise denied(request)
        return roles_of(request.user), acting_rights(request.user), request.user.pk
    finally:
        # Django closes at the end of the response, which for a stream is hours away.
        if not connection.in_atomic_block:
            connection.close()


def _stream(
    request: HttpRequest, kind: str, asked: watch.Watch, roles: Roles, rights: Roles, user_id: int
) -> StreamingHttpResponse:
    viewer = Viewer(kind, asked, preferences.zone_name(request), roles, rights, user_id)
    response = StreamingHttpResponse(_frames(viewer), content_type="text/event-stream")
    response["Cache-Control"] = "no-store, no-transform"
    response["X-Accel-Buffering"] = "no"
    response["Content-Encoding"] = "identity"
    return response


async def _frames(viewer: Viewer) -> AsyncIterator[bytes]:
    """What the tailer hands over, and comment lines between: proxies cut silent connections."""
    hub.join(viewer)
    tailer.ensure()
    try:
        yield frames.OPENED
        while True:
            try:
                await asyncio.wait_for(viewer.ready.wait(), COMMENT_SECONDS)
            except TimeoutError:
                yield frames.STILL_HERE
                continue
            if viewer.is_dismissed:
                return
            for frame in _waiting(viewer):
                yield frame
            if viewer.is_over:
                yield frames.END
                return
    finally:
        hub.leave(viewer)


def _waiting(viewer: Viewer) -> list[bytes]:
    fragments, fresh, position = viewer.take()
    sent = []
    if position and fragments:
        sent.append(frames.update(fragments, position))
    if position and fresh:
        sent.append(frames.fresh(fresh, position))
    return sent
