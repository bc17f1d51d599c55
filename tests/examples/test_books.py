"""Adding the books up, from books written here by the vendors' own ledger."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from examples.purchase_orders.vendors.books import Books
from examples.purchase_orders.vendors.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def bought(ledger: Ledger, vendor: str, run_id: str, amount: str | None = None, **facts: Any) -> None:
    call = ledger.next_call()
    currency = facts.pop("currency", "EUR" if amount else None)
    who = {"action": "do", "run_id": run_id, "step": "do_it"} | facts
    ledger.write("received", call, vendor=vendor, **who)
    ledger.write("applied", call, amount=amount, currency=currency)


def test_repeats_are_counted_by_vendor_and_currency(ledger: Ledger, tmp_path: Path):
    for run_id, amount, currency in (("a", "10.00", "EUR"), ("b", "900", "JPY"), ("c", "5.25", "EUR")):
        for _ in range(3 if run_id == "a" else 2):
            bought(ledger, "Cardline", run_id, amount, currency=currency)
    bought(ledger, "Cardline", "d", "7.00")
    found = [(d.vendor, d.calls, d.amount, d.currency) for d in Books.load(tmp_path).duplicates()]
    assert found == [("Cardline", 3, Decimal("25.25"), "EUR"), ("Cardline", 1, Decimal("900"), "JPY")]


def test_items_of_a_step_are_effects_of_their_own(ledger: Ledger, tmp_path: Path):
    for item in ("SK-1", "SK-2", "SK-2"):
        bought(ledger, "Pricebook", "a", item=item)
    books = Books.load(tmp_path)
    assert {effect: len(calls) for effect, calls in books.applied().items()} == {
        ("a", "do_it", "SK-1"): 1,
        ("a", "do_it", "SK-2"): 2,
    }


def test_another_generation_is_a_repeat_only_where_generations_are_not_told_apart(
    ledger: Ledger, tmp_path: Path
):
    for generation in (0, 1):
        bought(ledger, "Cardline", "a", "10.00", generation=generation)
    books = Books.load(tmp_path)
    assert (len(books.repeats()), len(books.repeats(by_generation=True))) == (1, 0)


def test_runs_of_a_window(ledger: Ledger, tmp_path: Path):
    bought(ledger, "Cardline", "a")
    between = datetime.now(UTC)
    bought(ledger, "Cardline", "b")
    books = Books.load(tmp_path)
    assert (books.runs(until=between), books.runs(since=between)) == ({"a"}, {"b"})
    assert [call.run_id for call in books.for_run("b")] == ["b"]


def test_a_call_received_and_not_applied_bought_nothing(ledger: Ledger, tmp_path: Path):
    ledger.write("received", ledger.next_call(), vendor="Cardline", action="charge", run_id="a", step="s")
    books = Books.load(tmp_path)
    assert (books.applied(), books.duplicates(), books.spent()) == ({}, [], {})
    assert len(books.received()) == 1


def test_old_hours_are_dropped_when_a_new_one_begins(tmp_path: Path):
    long_ago = datetime.now(UTC) - timedelta(hours=40)
    old = tmp_path / long_ago.strftime("books-%Y-%m-%dT%H.jsonl")
    old.write_text("")
    bought(Ledger(tmp_path, keep_hours=30), "Cardline", "a")
    assert not old.exists() and len(Books.load(tmp_path, hours=1).calls) == 1


def test_empty_books(tmp_path: Path):
    assert Books.load(tmp_path).calls == []
