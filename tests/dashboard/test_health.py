"""The probes: up is not ready, and a missing broker is not a missing record."""

from __future__ import annotations

from typing import Any

from django.conf import LazySettings
from django.db import connection
from django.test import Client


def test_healthz_asks_nobody(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.content == b"ok\n"


def test_readyz_is_ready(client: Client, db: None) -> None:
    answer = client.get("/readyz")
    assert answer.json() == {
        "state": "ready",
        "checks": {"database": "ok", "migrations": "ok", "broker": "ok"},
    }


def test_readyz_is_degraded_without_a_broker(client: Client, db: None, settings: LazySettings) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["state"] == "degraded"
    assert answer.json()["checks"]["broker"] == "does not answer"


def test_readyz_is_unavailable_with_a_migration_missing(client: Client, db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'dashboard' AND name = '0002_reading'")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["migrations"] == "1 not applied"


def test_a_broken_server_has_a_page(client: Client, db: None, monkeypatch: Any) -> None:
    from dashboard.views import frame

    request = client.get("/healthz").wsgi_request
    page = frame.broken(request).content.decode()
    assert "This page broke" in page
