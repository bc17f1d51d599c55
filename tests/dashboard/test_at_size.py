"""At size: what a page reads goes in by an index, and what takes too long is told, never shown as 0 or as a part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client

from bench.addresses import pages
from bench.scans import scans
from runs import db
from runs.watching import usual
from tests.dashboard import scene

RUNS = 12_000


@pytest.fixture
def ada(transactional_db: None) -> Iterator[Client]:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("ada"))
    scene.publish(within_seconds=300)
    usual.forget()
    yield client
    usual.forget()
    db.pool.close()


@contextmanager
def standing_still(*tables: str) -> Iterator[None]:
    """Whoever reads these tables waits until the end, or for 200 ms."""
    with connection.cursor() as cursor, db.connect() as other, other.transaction():
        other.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
        cursor.execute("SET statement_timeout = '200ms'")
        try:
            yield
        finally:
            cursor.execute("RESET statement_timeout")


def test_c22_no_page_reads_a_big_table_from_end_to_end(ada: Client) -> None:
    call_command("load_runs", runs=RUNS, seed=7, unfinished=300, verbosity=0)
    found = scans(pages(RUNS), "ada")
    assert found.seen > 100
    assert found.scans == []


def test_c22_a_list_that_takes_too_long_says_so_and_shows_no_number(ada: Client) -> None:
    scene.order("a", status="done", step="notify_buyer")
    with standing_still("run_state"):
        answer = ada.get("/orders/", {"state": "all"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "could not be counted in time" in page and "could not be listed in time" in page
    assert "No order has come in yet" not in page
    assert answer.context["summary"].groups == []


def test_c22_a_search_that_takes_too_long_says_so(ada: Client) -> None:
    scene.order("a", ref="PO-2026-0041", status="done", step="notify_buyer")
    with standing_still("run_label"):
        answer = ada.get("/orders/", {"q": "Brandt"})
    assert answer.status_code == 200
    assert "could not be listed in time" in answer.content.decode()
