"""Calls to vendors out of the log: how each ended, what was bought twice, and what was paid, never across currencies."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from runs.queries import Call, Known, Runs
from runs.run import call_key
from tests.dashboard import past, scene
from tests.dashboard.past import NEW, OLD, begun


@pytest.fixture
def page(ada: Client) -> Client:
    scene.publish()
    return ada


def calls(run_id: str = "a") -> list[Call]:
    found = Runs(connection).page(run_id)
    assert found is not None
    return found.history.calls


def text(client: Client, run_id: str = "a") -> str:
    shown = client.get("/run/", {"run": run_id}).content.decode()
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", shown))


def first(step: str, guard: str, amount: str = "", **more: Any) -> list[dict[str, Any]]:
    return [
        {"ago": 90, "kind": "claimed", "epoch": 1, "owner_after": OLD, "lease_event": "claimed"},
        {"ago": 89, "kind": "step_started", "epoch": 1, "owner_before": OLD, "owner_after": OLD, "attempt": 1, "began_step": step,
         "to": begun(step, guard, amount), **more},
    ]  # fmt: skip


def later(kind: str, ago: float = 50, **columns: Any) -> dict[str, Any]:
    return {"ago": ago, "kind": kind, "epoch": 1, "owner_before": OLD, "attempt": 1, **columns}


@pytest.mark.parametrize(
    ("end", "outcome", "known"),
    [
        ([], "under way", Known.UNDER_WAY),
        ([later("step_completed", completed_step="credit_check", owner_after=OLD)], "recorded", Known.YES),
        ([later("done", completed_step="credit_check")], "recorded", Known.YES),
        ([later("retry_scheduled", to={"status": "pending"})], "did not happen", Known.NO),
        ([later("retry_scheduled", to={"status": "started"})], "no answer", Known.PERHAPS),
        ([later("in_doubt", to={"status": "in_doubt"})], "in doubt", Known.PERHAPS),
        ([later("in_doubt"), later("landed_late", 40, completed_step="credit_check")], "recorded late", Known.YES),
        ([later("in_doubt"), later("not_sent", 40)], "not sent", Known.NO),
        ([later("failed")], "gave up", Known.PERHAPS),
        ([later("taken_over", epoch=2, owner_after=NEW, lapsed=55)], "no word from its worker", Known.PERHAPS),
        ([later("taken_over", epoch=2, owner_after=NEW, lapsed=55),
          later("commit_refused", 30, was=begun("credit_check"), owner_after=NEW)], "answered too late, not taken", Known.YES),
        ([later("taken_over", epoch=2, owner_after=NEW, lapsed=55),
          later("step_completed", 40, epoch=2, completed_step="credit_check", owner_after=NEW)],
         "found at the vendor", Known.YES),
    ],
)  # fmt: skip
def test_how_a_call_ended(page: Client, end: list[dict[str, Any]], outcome: str, known: Known) -> None:
    past.run("a", [*first("credit_check", "repeat_ok", "0.40"), *end], owner=NEW, lease=20)
    (call,) = calls()
    assert (call.outcome, call.known) == (outcome, known)
    assert outcome in text(page)


def test_a_pure_step_calls_nobody(page: Client) -> None:
    past.run("a", first("parse_request", "pure"), owner=OLD, lease=20, step="parse_request")
    assert calls() == []
    assert "No vendor has been called for it yet." in text(page)


def twice(guard: str, generation: int = 0, report: bool = True) -> list[dict[str, Any]]:
    return [
        *first("credit_check", guard, "0.40"),
        later("taken_over", epoch=2, owner_after=NEW, lapsed=55),
        {"ago": 49, "kind": "step_started", "epoch": 2, "owner_before": NEW, "owner_after": NEW, "attempt": 2,
         "began_step": "credit_check", "to": begun("credit_check", guard, "0.40", 2), "generation": generation},
        *([later("commit_refused", 40, was=begun("credit_check"), owner_after=NEW)] if report else []),
        {"ago": 30, "kind": "step_completed", "epoch": 2, "owner_before": NEW, "owner_after": NEW, "attempt": 2,
         "completed_step": "credit_check"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("moves", "twin"),
    [
        (twice("repeat_ok"), "bought twice"),
        (twice("repeat_ok", report=False), "perhaps bought twice"),
        (twice("keyed"), "same key: done once"),
        (twice("keyed", generation=1), "bought twice"),
    ],
)
def test_what_was_bought_twice(page: Client, moves: list[dict[str, Any]], twin: str) -> None:
    past.run("a", moves, owner=NEW, lease=20)
    assert [call.twin for call in calls()] == ["", twin]
    assert twin in text(page)


def test_the_key_is_that_of_the_call_and_can_be_copied(page: Client) -> None:
    past.run("a", first("notify_buyer", "keyed"), owner=OLD, lease=20, step="notify_buyer")
    (call,) = calls()
    assert call.key == call_key("a", "notify_buyer", None, 0)
    shown = page.get("/run/?run=a").content.decode()
    assert call.key[:8] in shown
    assert f'id="key-1">{call.key}<' in shown


def test_items_of_a_loop_stand_for_as_many_calls(page: Client) -> None:
    past.run("a", first("quote", "repeat_ok"), owner=OLD, lease=20, step="quote")
    with connection.cursor() as db:
        for item, attempt in (("x", 1), ("y", 1), ("z", 1), ("x", 2)):
            db.execute("""INSERT INTO run_item (run_id, step, item, generation, epoch, attempt, result)
                          VALUES ('a', 'quote', %s, 0, 1, %s, '{}')""", [item, attempt])  # fmt: skip
    (call,) = calls()
    assert call.items == 3
    assert "3 items under way" in text(page)


def test_an_open_case_is_linked_and_told(page: Client) -> None:
    charge = begun("charge_card", "unprotected", "412.00")
    past.run("a", [*first("charge_card", "unprotected", "412.00"), later("in_doubt", to={**charge, "status": "in_doubt"})],
             status="in_doubt", step="charge_card")  # fmt: skip
    with connection.cursor() as db:
        db.execute("""INSERT INTO run_doubt (run_id, step, generation, reason, epoch, start_cursor, amount, currency)
                      VALUES ('a', 'charge_card', 0, 'No answer; card 4242424242424242.', 1, '{}', 412.00, 'EUR') RETURNING id""")
        case = db.fetchone()[0]
    (call,) = calls()
    assert call.case_id == case
    shown = page.get("/run/?run=a").content.decode()
    assert f'href="#case-{case}"' in shown
    assert f'id="case-{case}"' in shown
    assert "No answer; card [hidden]." in shown
    assert "€412.00" in shown


def test_currencies_are_never_added_and_the_buyers_money_stands_apart(page: Client) -> None:
    steps = [(n, n, n, "repeat_ok", n.capitalize()) for n in ("eur", "sek", "charge", "free")]
    scene.publish("purchase_order", steps, money={"charge": "charge"})
    moves = [{"ago": 90, "kind": "claimed", "epoch": 1, "owner_after": OLD, "lease_event": "claimed"}]
    amounts = [
        ("eur", "0.40", "EUR"),
        ("sek", "310.00", "SEK"),
        ("charge", "14200.00", "EUR"),
        ("free", "", ""),
    ]
    for n, (step, amount, currency) in enumerate(amounts):
        mark = begun(step) | ({"amount": {"amount": amount, "currency": currency}} if amount else {})
        moves.append({"ago": 80 - n * 10, "kind": "step_started", "epoch": 1, "owner_before": OLD, "owner_after": OLD,
                      "attempt": 1, "began_step": step, "to": mark})  # fmt: skip
        moves.append({"ago": 75 - n * 10, "kind": "step_completed", "epoch": 1, "owner_before": OLD, "owner_after": OLD,
                      "attempt": 1, "completed_step": step})  # fmt: skip
    past.run("a", moves, owner=OLD, lease=20, step="free")
    found = Runs(connection).page("a")
    assert found is not None
    ours, buyers = found.history.paid, found.history.charged
    assert [(s.currency, s.known) for s in ours.sums] == [
        ("EUR", Decimal("0.40")),
        ("SEK", Decimal("310.00")),
    ]
    assert [(s.currency, s.known) for s in buyers.sums] == [("EUR", Decimal("14200.00"))]
    assert ours.without_price == 1
    shown = text(page)
    assert "Together, SEK 310.00 SEK" in shown
    assert "1 call with no price declared in advance: in no sum here." in shown


def test_what_is_asked_and_what_may_have_been_paid_is_in_no_sum(page: Client) -> None:
    past.taken_over("a")
    found = Runs(connection).page("a")
    assert found is not None
    (total,) = found.history.paid.sums
    assert (total.known, total.asked, total.perhaps) == (Decimal("0.40"), Decimal("0.40"), Decimal(0))
    assert "Creditline, by worker-23 €0.40, asked" in text(page)
