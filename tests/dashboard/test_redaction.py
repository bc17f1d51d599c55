"""The one function between a payload and a viewer, and the canaries that nobody finds."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from dashboard.faults import Line
from dashboard.roles import ROLES
from runs.queries import HIDDEN, Runs, redacted
from runs.watching.payloads.redaction import is_hidden
from runs.watching.plans import plans
from tests.dashboard import scene

CARD, KEY, WORD = "4242424242424242", "sk_live_abc", "hunter2"
CANARIES = (CARD, "4242 4242 4242 4242", KEY, WORD)


def is_clean(text: str) -> bool:
    return not any(canary in text for canary in CANARIES)


@pytest.mark.parametrize(
    "text",
    [
        f"card {CARD} declined", "charged 4242 4242 4242 4242 at 14:02", "on 2026-11-30 4242-4242-4242-4242 failed",
        f"key {KEY}", "Bearer hunter2hunter2", "Authorization: Basic aHVudGVyMg==", f"note pw={WORD}", f"password: {WORD}",
        f"{{'password': '{WORD}', 'a': 1}}", f'{{\\"api_key\\": \\"{WORD}\\"}}', f"https://ada:{WORD}@vendor.example/v1",
        f"a=password={WORD}", f"db_password => {WORD}", f'clientSecret="{WORD}', f"Set-Cookie: id={WORD}; path=/",
        f"-----BEGIN RSA PRIVATE KEY-----\n{WORD}\n-----END RSA PRIVATE KEY-----", "ghp_hunter2hunter2hunter2",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodW50ZXIyIn0.hunter2", f"token = ['{WORD}', 'x']", f"cvv: 123 pw={WORD}",
        f"{CARD}{KEY} pw={WORD}", f"?api_key={WORD}&x=1",
    ],
)  # fmt: skip
def test_what_gives_itself_away_is_hidden_in_any_text(text: str) -> None:
    found = redacted(text)
    assert HIDDEN in found
    assert is_clean(found)


@pytest.mark.parametrize(
    "text",
    [
        "PO-2026-0041", "run_8f3c1a9e2b77", "€14,200.00", "14.238.902,10 €", "Cardline refused after 2 tries. Card: declined",
        "1764585600123", "2026-12-01 14:02:44.018", "+43 664 123 45 67", "basic training done", "author: Ada", "tokens: 1200",
        "acct_4007", "DE123456789", "item 92 of 240", "key: SKU-1", "the passport of Ada", "4000000000000000",
    ],
)  # fmt: skip
def test_ordinary_words_and_numbers_stay(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("card", True), ("apiKey", True), ("X-Auth-Token", True), ("db_password", True), ("PASSWORD", True), ("cvv2", True),
        ("iban", True), ("session_id", True), ("tokens", True), ("author", False), ("total", False), ("sku", False),
        ("compass", False), ("panel", False), ("note", False), ("key", False),
    ],
)  # fmt: skip
def test_a_field_is_hidden_by_its_name(name: str, hidden: bool) -> None:
    assert (redacted("anything", ("input", name)) == HIDDEN) is hidden


def test_a_number_of_tokens_is_a_count() -> None:
    assert not is_hidden(("parse_request", "tokens"), is_number=True)
    assert is_hidden(("parse_request", "tokens"))
    assert is_hidden(("input", "pin"), is_number=True)


@given(st.text(max_size=300))
def test_any_text_can_be_asked_about_and_a_second_time_changes_nothing(text: str) -> None:
    once = redacted(text)
    assert redacted(once) == once


@given(st.sampled_from([CARD, KEY, f"pw={WORD}"]), st.text(max_size=20), st.text(max_size=20))
def test_a_canary_is_found_whatever_stands_around_it(canary: str, before: str, after: str) -> None:
    if before[-1:].isalnum() or before[-1:] in "\\=_.-" or after[:1].isalnum():
        before, after = before + " ", " " + after
    assert is_clean(redacted(f"{before}{canary}{after}")) or before[-1:].isdigit()


LABELS = [
    {"name": "buyer", "path": "input.buyer", "roles": list(ROLES)},
    {"name": "margin", "path": "quote.margin", "roles": ["manager"]},
]


@pytest.mark.parametrize(("role", "sees"), [("support", False), ("ops", False), ("manager", True)])
def test_a_label_is_shown_to_the_roles_that_it_names(client: Client, db: None, role: str, sees: bool) -> None:
    scene.publish(labels=LABELS)
    scene.order("a", labels={"buyer": "Quelle & Co.", "margin": "41 percent"})
    client.force_login(scene.person("someone", role))
    page = client.get("/run/?run=a").content.decode()
    assert "Quelle &amp; Co." in page
    assert ("41 percent" in page) is sees


def test_who_has_no_role_sees_no_label_that_is_not_for_everybody(db: None) -> None:
    scene.publish(labels=LABELS)
    scene.order("a", labels={"buyer": "Quelle", "margin": "41 percent"})
    page = Runs(connection).page("a")
    assert page is not None
    assert page.line.labels == {"buyer": ("Quelle", "")}
    sight = plans(connection)[scene.WORKFLOW].sight(frozenset({"support"}))
    assert redacted("41 percent", ("quote", "margin"), sight) == HIDDEN


def test_a_label_that_holds_a_card_number_is_redacted(ada: Client) -> None:
    scene.publish()
    scene.order("a", status="blocked", labels={"reference": CARD, "buyer": f"Ada pw={WORD}"})
    for url in ("/run/?run=a", "/orders/?state=all"):
        assert is_clean(ada.get(url).content.decode())


def test_why_a_run_failed_is_told_without_what_its_error_quotes(ada: Client) -> None:
    scene.publish()
    why = f"Check credit: Creditline refused after 5 tries. Bad card {CARD}, key {KEY}, pw={WORD}"
    scene.order("a", status="failed", step="credit_check", reason=why)
    shown = ada.get("/run/?run=a").content.decode()
    assert "Creditline refused after 5 tries. Bad card [hidden], key [hidden], pw=[hidden]" in shown
    assert is_clean(shown)


def test_why_an_attempt_is_tried_again_stands_on_top_and_in_the_log(ada: Client) -> None:
    scene.publish()
    scene.order("a", status="started", lease=20, attempt=1, step="credit_check")
    scene.retry("a", f"Check credit: Creditline failed after 1 try. No route, pw={WORD}")
    shown = ada.get("/run/?run=a").content.decode()
    assert shown.count("Creditline failed after 1 try. No route, pw=[hidden]") == 2
    assert is_clean(shown)


def test_a_reason_is_redacted_before_it_is_cut(ada: Client) -> None:
    scene.publish()
    scene.order("a", status="blocked", reason="x" * 388 + " " + CARD + " " + "y" * 2000)
    shown = ada.get("/run/?run=a").content.decode()
    assert "42424" not in shown


def test_a_broken_page_and_the_log_keep_it_to_themselves(
    ada: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, settings: Any
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        quoted = json.dumps({"card": CARD, "api_key": KEY, "note": f"pw={WORD}"})
        raise ValueError(f"cannot read {quoted}")

    monkeypatch.setattr(Runs, "page", broken)
    ada.raise_request_exception = False
    for debug in (False, True):
        settings.DEBUG = debug
        answer = ada.get("/run/?run=a")
        assert answer.status_code == 500
        if not debug:
            assert is_clean(answer.content.decode())
    written = [Line().format(record) for record in caplog.records]
    assert any("cannot read" in line for line in written)
    assert all(is_clean(line) for line in written)


def test_every_handler_writes_through_redaction() -> None:
    handlers = [h for logger in (logging.getLogger(), logging.getLogger("django")) for h in logger.handlers]
    ours = [h for h in handlers if h.name == "console"]
    assert ours
    assert all(isinstance(handler.formatter, Line) for handler in ours)
