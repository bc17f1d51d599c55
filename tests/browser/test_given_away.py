"""The run's page runs nothing that is written on it, and shows nothing that is hidden."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from dashboard.models import Note
from runs.queries import run_query
from tests.browser.conftest import Opened, until
from tests.browser.test_live import is_live
from tests.dashboard import past, scene

BAD = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    '" autofocus onfocus="alert(1)',
    "javascript:alert(1)",
)


@pytest.fixture(autouse=True)
def published(transactional_db: None) -> None:
    scene.publish(within_seconds=300)
    for owner in (past.OLD, past.NEW):
        scene.worker(owner)


@pytest.mark.parametrize("bad", BAD)
def test_c27_what_looks_like_markup_is_text_wherever_it_stands(opened: Opened, bad: str) -> None:
    scene.order(f"run {bad}", ref=bad, status="started", lease=60, attempt=1, step=bad, item=bad, reason=bad,
                labels={"buyer": bad, bad: bad})  # fmt: skip
    run_id = f"run {bad}"
    with connection.cursor() as db:
        db.execute(
            "UPDATE run_state SET lease_owner = %s, input = %s, completed = %s, epoch = epoch + 1",
            [f"{bad}#1", json.dumps({bad: bad, "list": [{bad: bad}]}), json.dumps({bad: {bad: bad}})],
        )
        db.execute(
            "INSERT INTO run_output (run_id, step, item, generation, epoch, kind, raw) VALUES (%s, %s, %s, 0, 1, 'error', %s)",
            [run_id, bad, bad, bad],
        )
        db.execute(
            """INSERT INTO run_doubt (run_id, step, item, generation, reason, opened_by, epoch, start_cursor)
                      VALUES (%s, %s, %s, 0, %s, %s, 1, '{}')""",
            [run_id, bad, bad, bad, bad],
        )
    Note.objects.create(run_id=run_id, author=bad, text=bad)
    page = opened("/orders/?state=all")
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto("/run/" + run_query(run_id))
    until(page, lambda: is_live(page))
    assert page.locator("h1").inner_text() == bad
    for part in page.locator("details.every, .parts details").all():
        part.locator("summary").first.click()
    # … and what the stream brings.
    scene.retry(run_id, f"Boom {bad}")
    until(page, lambda: f"Boom {bad}" in page.locator("#log").inner_text())
    page.wait_for_timeout(300)
    assert dialogs == []
    assert (
        page.locator(
            "main img, main script, main [autofocus], main [onfocus], main a[href^='javascript:']"
        ).count()
        == 0
    )
    assert bad in page.title()


def test_c30_nothing_that_is_hidden_is_found_in_the_browser(opened: Opened) -> None:
    canaries = ("4242424242424242", "4242 4242", "sk_live_abc", "hunter2")
    secret = {
        "card": "4242424242424242",
        "api_key": "sk_live_abc",
        "note": "pw=hunter2",
        "text": "4242 4242 4242 4242",
    }
    scene.order("a", status="started", lease=60, attempt=1, step="quote", item="pw=hunter2")
    with connection.cursor() as db:
        db.execute(
            "UPDATE run_state SET input = %s, completed = %s, signals = %s",
            [
                json.dumps({"order_ref": "PO-1", **secret}),
                json.dumps({"parse_request": secret}),
                json.dumps(
                    {
                        "told": [
                            {
                                "id": "1",
                                "name": "approve",
                                "step": "quote",
                                "generation": 0,
                                "payload": secret,
                            }
                        ]
                    }
                ),
            ],
        )
        db.execute(
            "INSERT INTO run_output (run_id, step, generation, epoch, kind, raw) VALUES ('a', 'quote', 0, 1, 'error', %s)",
            [f"VendorError: {secret}"],
        )
        db.execute(
            """INSERT INTO run_item (run_id, step, item, generation, epoch, attempt, result)
               VALUES ('a', 'quote', 'x', 0, 1, 1, %s)""",
            [json.dumps(secret)],
        )
    page = opened("/orders/?state=all")
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url))
    page.on("console", lambda message: seen.append(message.text))
    for path in ("/orders/?state=all", "/run/items/?run=a&step=quote", "/run/?run=a"):
        page.goto(path)
        seen.append(page.content())
    until(page, lambda: is_live(page))
    for part in page.locator(".parts details").all():
        if part.get_attribute("open") is None:
            part.locator("summary").first.click()
    until(page, lambda: page.locator(".hidden-value").count() >= 6)
    scene.retry("a", f"Quote failed after 1 try. {secret}")
    until(page, lambda: "Quote failed after 1 try." in page.locator("#log").inner_text())
    seen.append(page.content())
    kept: Any = page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href, history.state])"
    )
    seen.append(kept)
    assert [canary for canary in canaries for text in seen if canary in text] == []
