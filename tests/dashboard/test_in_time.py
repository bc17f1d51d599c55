"""What the database does not answer in time is said in words: never a 0, never a part of a list."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from dashboard.views import summary
from runs import db
from runs.errors import TookTooLong
from runs.queries import Orders
from runs.watching import reads
from tests.dashboard import scene


@pytest.fixture
def orders(ada: Client) -> Client:
    scene.publish(within_seconds=300)
    scene.order("a", ref="PO-1", status="in_doubt", step="charge_card")
    return ada


def slow(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let these statements take longer than a page may wait, in the database itself."""
    monkeypatch.setattr("runs.watching.orders.PATIENCE_SECONDS", 0.2)
    told = reads.statement

    def sleepy(name: str, **words: str) -> str:
        text = told(name, **words)
        return f"SELECT pg_sleep(3), (SELECT count(*) FROM ({text}) AS slow)" if name in names else text

    monkeypatch.setattr(reads, "statement", sleepy)


def test_a_list_that_takes_too_long_is_no_empty_one(orders: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    slow(monkeypatch, "standing")
    page = orders.get("/orders/", {"state": "in_doubt"})
    text = page.content.decode()
    assert page.status_code == 200
    assert "These orders could not be listed in time" in text
    assert "No order" not in text
    assert page.context["summary"].title == "One order needs attention"


def test_counters_that_take_too_long_are_no_zeros(orders: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    slow(monkeypatch, "counts")
    page = orders.get("/orders/")
    text = page.content.decode()
    assert "The orders could not be counted in time." in text
    assert 'class="counter-number"' not in text
    assert [line.run_id for line in page.context["lines"]] == ["a"]


def test_a_time_out_of_the_database_itself_is_told_as_well(orders: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '100ms'")
    with pytest.raises(TookTooLong), db.bounded(2.0):
        db.fetch(connection, "SELECT pg_sleep(1)", {})


def test_a_bound_ends_with_its_block(orders: Client) -> None:
    with Orders(connection).bounded():
        assert db.fetch(connection, "SHOW statement_timeout", {})[1] == [("2s",)]
    assert db.fetch(connection, "SHOW statement_timeout", {})[1] == [("0",)]


def test_a_search_that_takes_too_long_is_told(orders: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    slow(monkeypatch, "search")
    text = orders.get("/orders/", {"q": "PO-1"}).content.decode()
    assert "These orders could not be listed in time" in text


def test_before_the_first_count_finished_ones_are_unknown_and_not_none(orders: Client) -> None:
    page = orders.get("/orders/").content.decode()
    assert "not counted yet" in page
    scene.order("b", status="done", step="notify_buyer")
    scene.tally()
    counts: Any = orders.get("/orders/").context["summary"]
    assert counts.today == "1"
    assert "2 in all." in counts.text
    assert summary.summary(None, "").is_counted is False
