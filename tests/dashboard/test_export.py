"""The list as a file: whole or broken off, safe in a spreadsheet, by the same words as the page."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from dashboard import exporting
from runs.models import RunAudit
from runs.watching import reads
from tests.dashboard import scene
from tests.dashboard.test_links import NAUGHTY

MARKUP = ("<img src=x onerror=alert(1)>", "</script><script>x</script>", '" autofocus onfocus="', 'a,b\n"c"')
BUYER = [{"name": "buyer", "path": "input.buyer"}, {"name": "amount", "path": "quote.total"}]


@pytest.fixture
def orders(ada: Client) -> Client:
    scene.publish(within_seconds=300, labels=BUYER)
    scene.worker()
    scene.order("a", ref="PO-1", status="started", lease=20, attempt=1, labels={"buyer": "Brandt & Söhne"})
    scene.label("a", "amount", "14200.00", "EUR")
    scene.order("b", ref="PO-2", status="in_doubt", step="charge_card")
    scene.order("c", ref="PO-3", status="done", step="notify_buyer")
    return ada


def drained(chunks: Any) -> Iterator[bytes]:
    """All of an asynchronous iterator that never waits, without an event loop: in one, Django takes another
    connection, which sees nothing of a test whose rows are not committed."""
    while True:
        try:
            chunks.__anext__().send(None)
        except StopIteration as chunk:
            yield chunk.value
        except StopAsyncIteration:
            return


def taken(client: Client, **query: Any) -> bytes:
    """The whole file."""
    answer = client.get("/orders/export/", query)
    assert answer.status_code == 200, answer
    return b"".join(drained(aiter(answer.streaming_content)))


@pytest.fixture(autouse=True)
def in_this_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def here(call: Callable[..., Any], thread_sensitive: bool) -> Callable[..., Any]:
        async def run(*args: Any) -> Any:
            return call(*args)

        return run

    monkeypatch.setattr(exporting, "sync_to_async", here)


def table(body: bytes) -> tuple[str, list[dict[str, str]], str]:
    """The first line, the rows, and the last line."""
    text = body.decode("utf-8-sig")
    first, *rows, last = list(csv.reader(io.StringIO(text)))
    return first[0], [dict(zip(rows[0], row, strict=True)) for row in rows[1:]], last[0]


def test_csv_has_a_bom_the_time_it_is_of_and_says_where_it_ends(orders: Client) -> None:
    body = taken(orders, state="all", form="csv")
    assert body.startswith(b"\xef\xbb\xbf")
    first, rows, last = table(body)
    assert re.fullmatch(r"Orders as of \d{4}-\d\d-\d\dT[\d:.]+\+00:00, filter all, zone UTC", first)
    assert [row["order"] for row in rows] == ["PO-3", "PO-2", "PO-1"]
    assert last == "End of the list: 3 orders"


def test_a_row_says_what_the_page_says(orders: Client) -> None:
    _, rows, _ = table(taken(orders, state="moving"))
    (row,) = rows
    assert row["buyer"] == "Brandt & Söhne"
    assert (row["amount"], row["currency"]) == ("14200.00", "EUR")
    assert (row["state"], row["state_text"], row["step_title"]) == ("moving", "Moving", "Parse the request")
    assert row["waiting_on"] == "Parsewell"
    assert row["last_event"] == "The order came in"
    assert (row["worker"], row["build"]) == (scene.OWNER, "2026.09.4")


def test_times_are_iso_with_the_offset_of_the_viewers_zone(orders: Client) -> None:
    orders.post("/preferences/", {"zone": "Asia/Kolkata"})
    first, rows, _ = table(taken(orders, state="moving"))
    assert "zone Asia/Kolkata" in first
    for column in ("came_in_at", "moved_at", "last_event_at", "due_at"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:30", rows[0][column]), column


def test_json_is_one_object_with_the_same_rows(orders: Client) -> None:
    told = json.loads(taken(orders, state="all", form="json"))
    assert (told["filter"], told["zone"], told["count"]) == ("all", "UTC", 3)
    _, rows, _ = table(taken(orders, state="all"))
    assert [{name: str(value) for name, value in row.items()} for row in told["orders"]] == rows


def test_it_follows_the_filter_the_search_and_what_is_followed(orders: Client) -> None:
    def ids(**query: Any) -> list[str]:
        return [row["run_id"] for row in table(taken(orders, **query))[1]]

    assert ids(f="step:charge") == ["b"]
    assert ids() == ["b"]
    assert ids(q="PO-3") == ["c"]
    orders.post("/orders/follow/", {"run_id": "a"})
    assert ids(mine="1") == ["a"]
    assert ids(state="queued") == []


@pytest.mark.parametrize("value", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"http://x\")"])  # fmt: skip
def test_c27_no_cell_is_a_formula(orders: Client, value: str) -> None:
    scene.order("evil", ref=value, status="held", labels={"buyer": value})
    _, rows, _ = table(taken(orders, state="on_hold"))
    for cell in (rows[0]["order"], rows[0]["buyer"]):
        assert cell.startswith("'")
        assert cell[1:].strip() == value.strip()


@pytest.mark.parametrize("value", MARKUP)
def test_c27_markup_stays_text_in_one_cell(orders: Client, value: str) -> None:
    scene.order("evil", ref=value, status="held", labels={"buyer": value})
    _, rows, _ = table(taken(orders, state="on_hold"))
    assert rows[0]["buyer"] == value
    assert json.loads(taken(orders, state="on_hold", form="json"))["orders"][0]["order"] == value


def test_c01_every_id_is_in_the_file_as_it_is(orders: Client) -> None:
    for run_id in NAUGHTY:
        scene.order(run_id, status="blocked")
    found = {
        row["run_id"] for row in json.loads(taken(orders, state="needs_a_person", form="json"))["orders"]
    }
    assert found == set(NAUGHTY)


def test_pages_are_short_and_each_row_comes_once(orders: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "PAGE", 4)
    names = {scene.order(f"run-{n:02}", status="held") for n in range(21)}
    _, rows, last = table(taken(orders, state="on_hold"))
    assert len(rows) == 21
    assert {row["run_id"] for row in rows} == names
    assert last == "End of the list: 21 orders"


def test_a_database_that_is_too_slow_breaks_it_off(orders: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from runs.errors import TookTooLong

    def slow(*args: Any, **words: Any) -> None:
        raise TookTooLong

    answer = orders.get("/orders/export/", {"state": "all"})
    monkeypatch.setattr(reads, "fetch", slow)

    with pytest.raises(TookTooLong):
        list(drained(aiter(answer.streaming_content)))


def test_no_hidden_value_is_in_it(orders: Client) -> None:
    scene.order("card", status="held", labels={"buyer": "card 4242424242424242"})
    for form in ("csv", "json"):
        body = taken(orders, state="all", form=form).decode()
        assert "4242424242424242" not in body
        assert "canary-in-result" not in body


def test_who_takes_a_list_along_is_written_down(orders: Client) -> None:
    taken(orders, f="step:charge", form="json")
    (row,) = RunAudit.objects.filter(deed="export")
    assert (row.actor, row.outcome, row.told) == ("ada", "done", "json: all step:charge")


@pytest.mark.parametrize("query", [{"f": "colour:red"}, {"form": "xlsx"}])
def test_what_cannot_be_exported_is_refused(orders: Client, query: dict[str, str]) -> None:
    assert orders.get("/orders/export/", query).status_code == 400


def test_c28_without_the_permission_there_is_no_file_and_no_button(orders: Client, cy: Client) -> None:
    assert cy.get("/orders/export/").status_code == 403
    assert "/orders/export/" in orders.get("/orders/").content.decode()
