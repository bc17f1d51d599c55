"""One hidden field at a time, for a reason, by who may, written down by the transaction that reads it."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from runs.queries import Payloads
from tests.dashboard import scene

CARD = "4242424242424242"


@pytest.fixture
def olga(db: None) -> Client:
    """In operations: she may reveal."""
    scene.publish()
    scene.order("a", ref="PO-2026-0041", status="started", lease=20)
    client = Client()
    client.force_login(scene.person("olga", "ops"))
    return client


def audited() -> list[tuple[Any, ...]]:
    with connection.cursor() as db:
        db.execute(
            "SELECT actor, role, deed, run_id, order_ref, outcome, reason, told FROM run_audit WHERE deed = 'reveal' ORDER BY id"
        )
        return db.fetchall()


def ask(
    path: list[str], reason: str = "The buyer disputes it.", part: str = "input", **more: Any
) -> dict[str, Any]:
    return {"run": "a", "part": part, "at": json.dumps(path), "reason": reason, **more}


def test_the_page_links_to_each_hidden_field_and_the_way_there_shows_it_once(olga: Client) -> None:
    page = olga.get("/run/payload/?run=a&part=input").content.decode()
    (link,) = [unescape(url) for url in re.findall(r'href="(/run/reveal/[^"]+)"', page)]
    assert CARD not in page + link
    asked = olga.get(link).content.decode()
    assert "Open “input / card” of PO-2026-0041?" in asked
    assert CARD not in asked
    fields = dict(re.findall(r'name="(run|part|step|id|at)" value="([^"]*)"', asked))
    form = {name: unescape(value) for name, value in fields.items()} | {"reason": "The buyer disputes it."}
    answer = olga.post("/run/reveal/", form)
    assert CARD in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    assert audited() == [
        ("olga", "ops", "reveal", "a", "PO-2026-0041", "done", "The buyer disputes it.", "input / card")
    ]
    for url in ("/run/?run=a", "/run/payload/?run=a&part=input", "/run/now/?run=a", link):
        assert CARD not in olga.get(url).content.decode()


def test_without_a_reason_nothing_is_shown_nor_written(olga: Client) -> None:
    for reason in ("", "   ", "\0"):
        answer = olga.post("/run/reveal/", ask(["input", "card"], reason))
        assert "a reason is needed" in answer.content.decode()
        assert CARD not in answer.content.decode()
    assert audited() == []


@pytest.mark.parametrize("role", ["support", "manager", None])
def test_who_may_not_is_turned_away_and_sees_no_link(olga: Client, client: Client, role: str | None) -> None:
    client.force_login(scene.person("ben", role))
    for answer in (
        client.get("/run/reveal/", ask(["input", "card"])),
        client.post("/run/reveal/", ask(["input", "card"])),
    ):
        assert answer.status_code == 403
        assert CARD not in answer.content.decode()
    if role:
        page = client.get("/run/payload/?run=a&part=input").content.decode()
        assert "/run/reveal/" not in page
        assert "hidden" in page


def test_a_reveal_that_reads_nothing_writes_nothing(olga: Client) -> None:
    assert olga.post("/run/reveal/", ask(["input", "no such field"])).status_code == 404
    assert audited() == []


def test_what_cannot_be_written_down_is_not_shown(olga: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(Payloads, "field", lambda *_: read.append("read"))
    with connection.cursor() as db:
        db.execute(
            "CREATE FUNCTION pg_temp.full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'disk full'; END $$"
        )
        db.execute(
            "CREATE TRIGGER full_up BEFORE INSERT ON run_audit FOR EACH ROW EXECUTE FUNCTION pg_temp.full()"
        )
    olga.raise_request_exception = False
    answer = olga.post("/run/reveal/", ask(["input", "card"]))
    assert answer.status_code == 503
    assert read == []


@pytest.mark.parametrize(
    "at",
    [
        "",
        "x",
        "{}",
        "[1]",
        '["result", "card"]',
        "[]",
        json.dumps(["input"] + ["x"] * 40),
        '["input", "' + "x" * 600 + '"]',
        "[" * 100_000,
        '["input", "a\\u0000b"]',
    ],
)
def test_a_path_that_no_page_links_to_is_not_found(olga: Client, at: str) -> None:
    form = {"run": "a", "part": "input", "at": at, "reason": "why"}
    assert olga.post("/run/reveal/", form).status_code == 404
    assert audited() == []


def test_a_word_inside_a_text_and_an_error_can_be_opened_too(olga: Client) -> None:
    with connection.cursor() as db:
        db.execute("UPDATE run_state SET input = %s", [json.dumps({"lines": [{"note": "ring, pw=hunter2"}]})])
        db.execute("""INSERT INTO run_output (run_id, step, generation, epoch, kind, raw)
                      VALUES ('a', 'quote', 0, 1, 'error', E'Boom\\npw=hunter2') RETURNING id""")
        error = db.fetchone()[0]
    assert (
        "ring, pw=hunter2" in olga.post("/run/reveal/", ask(["input", "lines", "0", "note"])).content.decode()
    )
    shown = olga.post("/run/reveal/", ask(["quote"], part="output", step="quote", id=error)).content.decode()
    assert "Boom\npw=hunter2" in shown
    assert [row[-1] for row in audited()] == ["input / lines / 0 / note", "quote"]


def test_c27_what_is_revealed_is_text(olga: Client) -> None:
    with connection.cursor() as db:
        db.execute("UPDATE run_state SET input = %s", [json.dumps({"token": "<script>alert(1)</script>"})])
    shown = olga.post("/run/reveal/", ask(["input", "token"], "<b>why</b>")).content.decode()
    assert "<script>alert" not in shown
    assert "<b>why" not in shown
