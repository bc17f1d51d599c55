"""Inputs and results on a page: exact digits, any size, any depth, and nothing that is hidden."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from runs.queries import HIDDEN, blocks
from runs.watching.payloads.scan import tokens
from runs.watching.payloads.tree import rewritten, tree
from tests.dashboard import scene

ROOT = ("input",)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s), max_leaves=30
)  # fmt: skip


def holds(run_id: str, part: str, text: str) -> None:
    """Put a JSON text, as text, into the run's input or completed."""
    with connection.cursor() as db:
        db.execute(f"UPDATE run_state SET {part} = %s::jsonb WHERE run_id = %s", [text, run_id])


def opened(client: Client, part: str, **more: Any) -> str:
    answer = client.get("/run/payload/", {"run": "a", "part": part, **more})
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def page(ada: Client) -> Client:
    scene.publish()
    scene.order("a", status="started", lease=20, attempt=1)
    return ada


@given(values)
def test_what_is_rewritten_is_the_same_json_but_for_what_is_hidden(value: Any) -> None:
    def same(before: Any, after: Any) -> bool:
        if isinstance(after, str) and HIDDEN in after:
            return True
        if isinstance(before, dict):
            kept = list(after.values())
            return len(before) == len(kept) and all(map(same, before.values(), kept))
        if isinstance(before, list):
            return len(before) == len(after) and all(map(same, before, after))
        return bool(before == after)

    text = json.dumps(value)
    if len({*re.findall(r'"[^"]*": ', text)}) < len(re.findall(r'"[^"]*": ', text)):
        return  # Hidden names may fall together, and a dictionary would lose one.
    assert same(value, json.loads(rewritten(text, ROOT)))


@given(values, st.integers(0, 400))
def test_a_text_that_is_cut_anywhere_can_be_shown(value: Any, at: int) -> None:
    text = json.dumps(value)
    shown = tree(text[:at], ROOT)
    blocks(shown.root)
    assert shown.is_whole is (at >= len(text)) or len(text[:at].strip('-0123456789."truefalsn')) == 0


def test_digits_stay_as_the_database_wrote_them(page: Client) -> None:
    holds(
        "a", "input", '{"price": 1.10, "many": 1e400, "long": 12345678901234567890.123456789, "minus": -0.0}'
    )
    shown = opened(page, "input")
    for digits in ("1.10", "1" + "0" * 400, "12345678901234567890.123456789"):
        assert digits in shown
    assert "1.10" in page.get("/run/?run=a").content.decode()


def test_an_input_reads_as_fields_and_records(page: Client) -> None:
    lines = [{"sku": "TL-1", "qty": 3}, {"sku": "TL-2", "qty": 4, "note": "soon"}]
    holds("a", "input", json.dumps({"buyer": {"name": "Quelle", "vip": True}, "lines": lines, "tags": ["a", "b"], "total":
                                    {"amount": "412.00", "currency": "EUR"}, "none": None, "list": [], "text": ""}))  # fmt: skip
    shown = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", opened(page, "input")))
    for words in ("Buyer 2 fields", "Name Quelle", "Vip yes", "# Qty Sku Note 1 3 TL-1 2 4 TL-2 soon", "Tags a , b",
                  "Total 412.00 EUR", "None none", "List no entries", "Text empty"):  # fmt: skip
        assert words in shown
    assert "{" not in shown


@pytest.mark.parametrize(
    "text",
    [
        json.dumps("x" * 12_000_000), json.dumps([1] * 1_000_000), "[" * 5000 + "]" * 5000, '{"a":' * 5000 + "1" + "}" * 5000,
        json.dumps({f"key {n}": n for n in range(100_000)}),
        json.dumps({"k" * 200_000: "v" * 200_000}), json.dumps('"' * 200_000),
    ],
    ids=["12 MB string", "a million elements", "5,000 deep", "5,000 objects deep", "100,000 keys", "a long key", "quotes"],
)  # fmt: skip
@pytest.mark.parametrize("part", ["input", "completed"])
def test_c08_no_payload_is_too_much_for_a_page(page: Client, part: str, text: str) -> None:
    is_object = text.startswith("{")
    holds("a", part, text if is_object and part == "completed" else f'{{"quote": {text}}}')
    name = (
        json.loads(text[: text.index(":")] + ":1}").popitem()[0]
        if is_object and part == "completed"
        else "quote"
    )
    urls = ["/run/?run=a", "/orders/?state=all", "/run/payloads/?run=a", "/run/now/?run=a"]
    for url in urls:
        assert len(page.get(url).content) < 300_000
    asked = {"part": "input"} if part == "input" else {"part": "result", "step": name[:1000]}
    answer = page.get("/run/payload/", {"run": "a", **asked})
    assert answer.status_code == (200 if len(name) <= 200 else 404)
    assert len(answer.content) < 300_000


def test_c08_neither_lists_nor_streams_nor_the_page_of_a_large_one_read_a_payload(page: Client) -> None:
    holds("a", "input", json.dumps({"text": "canary-in-input " * 100_000}))
    with CaptureQueriesContext(connection) as queries:
        for url in ("/orders/?state=all", "/run/now/?run=a"):
            assert "canary-in" not in page.get(url).content.decode()
    assert not [q for q in queries if re.search(r"\.(input|completed)\b(?!_)", q["sql"])]
    assert "canary-in" not in page.get("/run/?run=a").content.decode()
    assert "canary-in-input" in opened(page, "input")


def test_what_is_more_than_the_beginning_is_said_and_can_be_had(page: Client) -> None:
    holds("a", "input", json.dumps({"text": "word " * 20_000, "card": scene_card()}))
    shown = opened(page, "input")
    assert "This is only its beginning." in shown
    answer = page.get("/run/payload/download/", {"run": "a", "part": "input"})
    assert answer["Content-Disposition"].startswith("attachment")
    assert "no-store" in answer["Cache-Control"]
    assert json.loads(answer.content) == {"card": HIDDEN, "text": "word " * 20_000}


def scene_card() -> str:
    return "4242424242424242"


def test_a_payload_past_all_measure_is_refused_with_its_size(
    page: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.watching.payloads.parts.DOWNLOAD_BYTES", 1000)
    holds("a", "input", json.dumps({"text": "x" * 5000}))
    answer = page.get("/run/payload/download/", {"run": "a", "part": "input"})
    assert answer.status_code == 413
    assert "Too large to hand out" in answer.content.decode()


def test_a_result_beside_the_row_is_followed(page: Client) -> None:
    holds(
        "a",
        "completed",
        '{"quote": {"_output": {"step": "quote", "generation": 0, "epoch": 7, "bytes": 9000}}}',
    )
    with connection.cursor() as db:
        db.execute("""INSERT INTO run_output (run_id, step, generation, epoch, kind, value)
                      VALUES ('a', 'quote', 0, 7, 'result', '{"total": 14200.00}')""")
    assert "14200.00" in opened(page, "result", step="quote")
    assert "8.8 KB" in page.get("/run/?run=a").content.decode()


def test_an_error_and_a_refused_report_are_listed_and_open_redacted(page: Client) -> None:
    with connection.cursor() as db:
        db.execute("""INSERT INTO run_output (run_id, step, generation, epoch, attempt, kind, value, raw) VALUES
            ('a', 'credit_check', 0, 7, 2, 'error', NULL, E'Traceback:\nVendorError: pw=hunter2, card 4242424242424242'),
            ('a', 'credit_check', 0, 6, 1, 'refused', '{"score": 712, "api_key": "sk_live_abc"}', NULL) RETURNING id""")
        error, refused = (row[0] for row in db.fetchall())
    listed = page.get("/run/?run=a").content.decode()
    assert "Refused report" in listed
    assert "Check credit, attempt 2" in listed
    shown = opened(page, "output", step="credit_check", id=error)
    assert "VendorError: pw=[hidden], card [hidden]" in shown
    shown = opened(page, "output", step="credit_check", id=refused)
    assert "712" in shown
    assert "sk_live" not in shown
    assert page.get("/run/payload/", {"run": "a", "part": "output", "id": error + 100}).status_code == 404


def test_what_another_run_holds_is_not_handed_out(page: Client) -> None:
    scene.order("b")
    with connection.cursor() as db:
        db.execute("""INSERT INTO run_output (run_id, step, generation, epoch, kind, raw)
                      VALUES ('b', 'x', 0, 1, 'error', 'of b') RETURNING id""")
        row = db.fetchone()[0]
    assert page.get("/run/payload/", {"run": "a", "part": "output", "id": row}).status_code == 404


@pytest.mark.parametrize("query", [{}, {"part": ""}, {"part": "completed"}, {"part": "result", "step": "a\0b"},
                                   {"part": "output", "id": "x"}, {"part": "output", "id": "9" * 30}])  # fmt: skip
def test_what_no_page_links_to_is_not_found(page: Client, query: dict[str, str]) -> None:
    assert page.get("/run/payload/", {"run": "a", **query}).status_code == 404


def test_items_are_paged_and_one_that_was_done_twice_stands_twice(page: Client) -> None:
    with connection.cursor() as db:
        for n in range(60):
            db.execute(
                """INSERT INTO run_item (run_id, step, item, generation, epoch, attempt, result)
                VALUES ('a', 'quote', %s, 0, 7, 1, '{"unit_price": 1.10, "token": "sk_live_abc"}')""",
                [f"SKU-{n:03}"],
            )
        db.execute("""INSERT INTO run_item (run_id, step, item, generation, epoch, attempt, result)
                      VALUES ('a', 'quote', 'SKU-000', 0, 8, 1, '{"unit_price": 1.20}')""")
    first = page.get("/run/items/", {"run": "a", "step": "quote"})
    shown = first.content.decode()
    assert shown.count("SKU-000") == 2
    assert "1.10" in shown
    assert "sk_live" not in shown
    second = page.get("/run/items/", {"run": "a", "step": "quote", "after": first.context["last"]})
    assert len(first.context["rows"]) == 50
    assert len(second.context["rows"]) == 11
    assert second.context["last"] is None


def test_a_label_closed_to_a_role_is_hidden_in_the_payload_too(client: Client, db: None) -> None:
    labels = [
        {"name": "margin", "path": "quote.margin", "roles": ["manager"]},
        {"name": "iban", "path": "input.pay.to", "roles": ["manager"]},
    ]
    scene.publish(labels=labels)
    scene.order("a", status="started", lease=20)
    holds("a", "completed", '{"quote": {"margin": 0.41, "total": 9}}')
    holds("a", "input", '{"pay": {"to": {"bank": "Erste", "no": "AT61"}, "by": "transfer"}}')
    seen = {}
    for role in ("support", "manager"):
        client.force_login(scene.person(role, role))
        seen[role] = opened(client, "result", step="quote") + opened(client, "input") + page_text(client)
    assert "0.41" not in seen["support"]
    assert "Erste" not in seen["support"]
    assert "transfer" in seen["support"]
    assert "0.41" in seen["manager"]
    assert "Erste" in seen["manager"]


def page_text(client: Client) -> str:
    return (
        client.get("/run/?run=a").content.decode()
        + client.get("/run/payload/download/?run=a&part=input").content.decode()
    )


def test_a_deep_download_takes_no_recursion(page: Client) -> None:
    holds("a", "input", '{"a": ' + "[" * 5000 + "]" * 5000 + "}")
    answer = page.get("/run/payload/download/", {"run": "a", "part": "input"})
    assert answer.content.count(b"[") == 5000


def test_a_fragment_is_what_the_page_holds_and_answers_vary(page: Client) -> None:
    whole = page.get("/run/payload/", {"run": "a", "part": "input"})
    part = page.get("/run/payload/", {"run": "a", "part": "input"}, headers={"HX-Request": "true"})
    assert "HX-Request" in whole["Vary"]
    assert part.content.decode().strip() in whole.content.decode()
    assert "<html" not in part.content.decode()


def test_reading_a_text_of_any_length_is_linear() -> None:
    # Twice the text takes no more than a few times as long, whatever repeats in it.
    def seconds(text: str) -> float:
        began = time.process_time()
        for _ in tokens(text):
            pass
        tree(text, ROOT)
        return time.process_time() - began

    for piece in ("[", '"a":', '"\\\\', "1,", "[1,", '{"a":"b"},', "\\u12"):
        assert seconds('"' + piece * 40_000) < 20 * max(seconds('"' + piece * 10_000), 0.01)
