"""The probes: up is not ready, and a missing broker is not a missing record."""

from __future__ import annotations

from django.conf import LazySettings
from django.db import connection
from django.test import Client

from dashboard.views import frame


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
        cursor.execute(
            "DELETE FROM django_migrations WHERE app = 'dashboard' AND name = "
            "(SELECT max(name) FROM django_migrations WHERE app = 'dashboard')"
        )
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["migrations"] == "1 not applied"


def test_a_broken_page_says_so_without_asking_the_database(client: Client) -> None:
    request = client.get("/healthz").wsgi_request
    answer = frame.broken(request)
    assert answer.status_code == 500
    assert "This page broke" in answer.content.decode()


def test_a_page_says_when_the_database_does_not_answer(ada: Client) -> None:
    ada.raise_request_exception = False
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE run_catalogue RENAME TO gone")
    answer = ada.get("/orders/")
    assert answer.status_code == 503
    assert "The database does not answer" in answer.content.decode()
