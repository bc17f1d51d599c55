"""The list: a title that answers, counters that filter and add up, search by what a caller knows."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard import paging
from runs.queries import Orders
from runs.words import WORDS
from tests.dashboard import scene


@pytest.fixture
def orders(ada: Client) -> Client:
    scene.publish(within_seconds=300)
    return ada


def listed(client: Client, **query: Any) -> list[str]:
    return [line.run_id for line in client.get("/orders/", query).context["lines"]]


def title(client: Client) -> str:
    return str(client.get("/orders/").context["summary"].title)


def test_the_title_is_the_answer(orders: Client) -> None:
    assert title(orders) == "Nothing is in flight"
    scene.order("a", status="started", lease=20, attempt=1)
    assert title(orders) == "The one order in flight is on its way"
    scene.order("b", status="pending")
    assert title(orders) == "All 2 orders are on their way"
    scene.order("c", status="in_doubt")
    assert title(orders) == "One order needs attention"
    scene.order("d", status="failed")
    scene.age("a", 400)
    assert title(orders) == "Three orders need attention"


def test_it_opens_on_what_needs_attention_and_else_on_all_in_flight(orders: Client) -> None:
    scene.order("moving", status="started", lease=20, attempt=1)
    scene.order("finished", status="done", step="notify_buyer")
    assert listed(orders) == ["moving"]
    scene.order("doubtful", status="in_doubt", step="charge_card")
    assert listed(orders) == ["doubtful"]


def test_counters_add_up_and_each_filters_to_what_it_counts(orders: Client) -> None:
    odd: dict[str, Any] = {"status": "paused_by_v3"}
    cases: list[dict[str, Any]] = [
        {"status": "started", "lease": 20}, {"status": "pending"}, {"status": "pending", "attempt": 1, "wake": 60},
        {"status": "started", "lease": -5}, {"status": "waiting"}, {"status": "held"}, {"status": "in_doubt"},
        {"status": "blocked"}, {"status": "failed"}, {"status": "done"}, {"status": "cancelled"}, odd, {"status": "failed"},
    ]  # fmt: skip
    for number, case in enumerate(cases):
        scene.order(f"run-{number}", **case)
    scene.seen("run-12")
    scene.tally()
    counts = Orders(connection).counts(timezone.now() - timezone.timedelta(days=1))
    assert sum(counts.of(word) for word in WORDS) == counts.everything == len(cases)
    for word in WORDS:
        assert len(listed(orders, state=word.key)) == counts.of(word), word
    assert len(listed(orders, state="all")) == len(cases)


def test_every_row_is_listed_under_its_own_word_alone(orders: Client) -> None:
    for status in ("pending", "started", "waiting", "blocked"):
        for lease in (None, 20, -20):
            for wake in (None, 60, -60):
                if lease is None or status in ("pending", "started"):
                    scene.order(f"{status} {lease} {wake}", status=status, lease=lease, wake=wake, attempt=1)
    words = {line.run_id: line.word.key for line in orders.get("/orders/", {"state": "all"}).context["lines"]}
    for word in WORDS:
        assert set(listed(orders, state=word.key)) == {run for run, key in words.items() if key == word.key}


@pytest.mark.parametrize("asked", ["PO-2026-0041", " po-2026-0041 ", "0041", "Müller Maschinenbau", "müller  maschinenbau",
                                   "K-77", "run_8f3c1a", "\uff30\uff2f-2026-0041", "Müller M"])  # fmt: skip
def test_one_hit_goes_straight_to_its_page(orders: Client, asked: str) -> None:
    scene.order(
        "run_8f3c1a", ref="PO-2026-0041", labels={"buyer": "Müller Maschinenbau", "reference": "K-77"}
    )
    scene.order("run_other", ref="PO-2026-0042", labels={"buyer": "Brandt", "reference": "K-78"})
    answer = orders.get("/orders/", {"q": asked})
    assert answer["Location"] == "/run/?run=run_8f3c1a"


def test_several_runs_of_one_order_make_a_list(orders: Client) -> None:
    scene.order("first", ref="PO-1")
    scene.order("second", ref="PO-1", status="done")
    scene.order("third", ref="PO-12")
    assert set(listed(orders, q="PO-1")) == {"first", "second"}
    assert set(listed(orders, q="po-")) == {"first", "second", "third"}


@pytest.mark.parametrize("asked", ["%", "_", "100%", "\\", "'; --", "\0", "a" * 500])
def test_a_search_takes_every_text_literally(orders: Client, asked: str) -> None:
    scene.order("x", ref="PO-1")
    assert orders.get("/orders/", {"q": asked}).status_code == 200


def test_the_empties_say_which_they_are(orders: Client) -> None:
    assert "No order has come in yet" in orders.get("/orders/").content.decode()
    scene.order("x", ref="PO-1", status="done")
    assert "Nothing needs attention" in orders.get("/orders/", {"state": "attention"}).content.decode()
    assert "No order matches “zzz”" in orders.get("/orders/", {"q": "zzz"}).content.decode()


def test_pages_go_on_by_key_and_show_each_run_once(orders: Client) -> None:
    names = {scene.order(f"run-{n:03}", status="started", lease=50) for n in range(120)}
    url, seen = "/orders/?state=open", []
    while url:
        page = orders.get(url)
        seen += [line.run_id for line in page.context["lines"]]
        scene.commit(seen[0], "parse_request", "quote")
        url = page.context["list"].further_url
    assert len(seen) == 120
    assert set(seen) == names


@pytest.mark.parametrize("key", ["", "x", "2026-01-01~a", "2026-13-41 00:00:00+00~a", "~", "infinity~é"])
def test_a_key_that_no_page_printed_is_no_error(orders: Client, key: str) -> None:
    scene.order("x")
    assert orders.get("/orders/", {"after": key, "state": "all"}, follow=True).status_code == 200


def test_a_printed_key_reads_back(orders: Client) -> None:
    for n in range(3):
        scene.order(f"a~b {n}")
    further = Orders(connection).page(limit=2).further
    assert further is not None
    assert paging.parsed(paging.printed(further)) == further


def test_a_list_never_reads_a_payload_and_never_asks_per_row(orders: Client) -> None:
    def asked(rows: int) -> list[str]:
        for n in range(rows):
            scene.order(f"{rows}-{n}", ref=f"PO-{n}", status="started", lease=20, labels={"buyer": "Brandt"})
        with CaptureQueriesContext(connection) as queries:
            orders.get("/orders/", {"state": "all"})
        return [query["sql"] for query in queries]

    asked(1)
    few, many = asked(2), asked(45)
    assert len(few) == len(many) <= 24
    assert not [sql for sql in many if re.search(r"\b(r|f|s)\.(completed|input)\b", sql)]


def test_no_payload_value_reaches_the_page(orders: Client) -> None:
    scene.order("a", ref="PO-9", status="in_doubt", step="charge_card")
    for url in ("/orders/?state=all", "/run/?run=a"):
        page = orders.get(url).content.decode()
        assert "canary-in-result" not in page
        assert "4242424242424242" not in page


@pytest.mark.parametrize("cursor", ['{}', '{"step": 7, "status": true, "attempt": "2"}', '{"status": null}',
                                    '{"step": {"a": []}, "status": [1], "attempt": 1e30, "items_total": -3}'])  # fmt: skip
@pytest.mark.parametrize("completed", ["[]", "null", '"x"', "{}"])
def test_an_odd_row_breaks_nothing(orders: Client, cursor: str, completed: str) -> None:
    with connection.cursor() as db:
        db.execute(
            "INSERT INTO run_state (run_id, cursor, input, completed) VALUES ('odd', %s, '[]', %s)",
            [cursor, completed],
        )
    page = orders.get("/orders/", {"state": "other"})
    assert [line.word.key for line in page.context["lines"]] == ["other"]
    assert orders.get("/run/?run=odd").status_code == 200


def test_times_outside_the_calendar_break_nothing(orders: Client) -> None:
    scene.order("odd", status="waiting")
    with connection.cursor() as db:
        db.execute(
            "UPDATE run_state SET wake_at = 'infinity', created_at = '-infinity', updated_at = 'infinity'"
        )
    assert listed(orders, state="all") == ["odd"]
    assert orders.get("/run/?run=odd").status_code == 200


def test_the_row_says_how_far_whom_for_and_what_last(orders: Client) -> None:
    scene.worker()
    scene.order("a", ref="PO-1", status="started", lease=20, attempt=1, labels={"buyer": "Brandt & Söhne"})
    scene.label("a", "amount", "14200.00", "EUR")
    scene.commit("a", "parse_request", "quote", items_done=3, items_total=12)
    page = orders.get("/orders/", {"state": "moving"}).content.decode()
    for text in ("PO-1", "Brandt &amp; Söhne", "€14,200.00", "Moving", "2 of 5 · build the quote, item 4 of 12",
                 "Pricebook", "Parse the request: done; next, build the quote", "in 4 min"):  # fmt: skip
        assert text in page


def test_an_unfinished_rows_page_is_quiet_where_it_did_not_change(orders: Client) -> None:
    scene.order("a", status="started", lease=20)
    stream = orders.get("/orders/", {"state": "all"}).context["stream"]
    from runs.queries import dom_key

    shown = dom_key("a") + orders.get("/orders/", {"state": "all"}).context["lines"][0].print
    assert "row-" not in orders.get(stream.poll_url + "&prints=" + shown).content.decode()
    scene.commit("a", "parse_request", "quote")
    assert f'id="row-{dom_key("a")}"' in orders.get(stream.poll_url + "&prints=" + shown).content.decode()
