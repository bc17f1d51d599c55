"""For probes: is the process up, and can it do its work. Open, and telling nothing that is private."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from kombu.connection import Connection

BROKER_SECONDS = 1.5


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers. Asks nobody else."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 ready, or degraded while only the broker is away: pages work without it. 503 without the record."""
    checks = {"database": _said(_database), "migrations": _said(_migrations), "broker": _said(_broker)}
    stands = checks["database"] == checks["migrations"] == "ok"
    state = "ready" if set(checks.values()) == {"ok"} else "degraded" if stands else "unavailable"
    return JsonResponse({"state": state, "checks": checks}, status=200 if stands else 503)


def _said(check: Callable[[], str]) -> str:
    try:
        return check()
    except DatabaseError:
        return "does not answer"


def _database() -> str:
    connection.ensure_connection()
    return "ok" if connection.is_usable() else "does not answer"


def _migrations() -> str:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return f"{len(missing)} not applied" if missing else "ok"


def _broker() -> str:
    """Asked in a thread of its own: a paused broker accepts a connection and then says nothing."""
    answered = threading.Event()
    threading.Thread(target=_ask_broker, args=(answered,), daemon=True).start()
    return "ok" if answered.wait(BROKER_SECONDS) else "does not answer"


def _ask_broker(answered: threading.Event) -> None:
    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    try:
        with Connection(  # type: ignore[no-untyped-call]
            settings.CELERY_BROKER_URL, connect_timeout=1, transport_options=options
        ) as broker:
            broker.ensure_connection(max_retries=1, timeout=BROKER_SECONDS)
            broker.default_channel.close()
    except Exception:
        return
    answered.set()
