"""The run's page in a browser: nothing lost or repeated over reconnects, nothing executed, nothing given away, nothing shut."""

from __future__ import annotations

import json
import uuid
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from django.db import connection
from playwright.sync_api import Page

from dashboard.models import Note
from tests.browser.conftest import Opened, Site, until
from tests.browser.test_live import chip, is_live
from tests.browser.test_look import serious
from tests.dashboard import past, scene

# Keeps every EventSource that the page opens, to count those that are not closed.
COUNTED = """(() => { const Real = window.EventSource; window.sources = [];
  window.EventSource = class extends Real { constructor(...given) { super(...given); window.sources.push(this); } }; })()"""
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


def entries(page: Page) -> list[int]:
    ids = page.locator(".entry").evaluate_all("rows => rows.map(row => row.id)")
    return [int(name.removeprefix("t-")) for name in ids]


def logged(run_id: str = "a") -> list[int]:
    with connection.cursor() as db:
        db.execute("SELECT id FROM run_transition WHERE run_id = %s ORDER BY id DESC", [run_id])
        return [row[0] for row in db.fetchall()]


def open_streams(page: Page) -> int:
    return int(page.evaluate("window.sources.filter(source => source.readyState !== 2).length"))


def watched(opened: Opened, path: str = "/run/?run=a") -> Page:
    page = opened("/orders/")
    page.add_init_script(COUNTED)
    page.goto(path)
    until(page, lambda: is_live(page))
    return page


def test_c26_three_reconnects_lose_and_repeat_nothing(opened: Opened, site: Site) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    page = watched(opened)
    for turn in range(3):
        site.kill()
        until(page, lambda: chip(page) == "reconnecting", 5)
        for n in range(4):
            scene.commit("a", f"done {turn} {n}", "quote", turn=turn, n=n)
        site.start()
        until(page, lambda: entries(page) == logged(), 15)
        until(page, lambda: is_live(page))
        assert open_streams(page) == 1
    # And a reconnect after which nothing had happened brings nothing again.
    page.evaluate(
        """() => { window.swapped = []; document.addEventListener("htmx:oobBeforeSwap",
           event => window.swapped.push(event.detail.target.id)); }"""
    )
    site.kill()
    until(page, lambda: chip(page) == "reconnecting", 5)
    site.start()
    until(page, lambda: is_live(page), 15)
    page.wait_for_timeout(2500)
    assert "log" not in page.evaluate("window.swapped")
    assert open_streams(page) == 1
    # The refused connections while nobody listened are the browser's and the extension's own complaint.
    opened.forgive(["ERR_", "[object Event]"])  # type: ignore[attr-defined]


def test_c26_a_panel_that_is_swapped_while_the_stream_is_cut_leaves_one_stream(
    opened: Opened, site: Site
) -> None:
    scene.order("a", status="started", lease=90, attempt=1)
    page = watched(opened)
    page.context.route("**/live/**", lambda route: route.abort())
    site.kill()
    site.start()
    scene.commit("a", "parse_request", "quote")
    until(page, lambda: entries(page) == logged(), 25)
    assert chip(page) == "polling"
    page.context.unroute("**/live/**")
    until(page, lambda: is_live(page), 30)
    scene.commit("a", "quote", "credit_check")
    until(page, lambda: entries(page) == logged())
    assert open_streams(page) == 1
    opened.forgive(["ERR_", "[object Event]"])  # type: ignore[attr-defined]


def test_c26_a_row_that_was_committed_out_of_turn_arrives(opened: Opened, database_url: str) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    page = watched(opened)
    with psycopg.connect(database_url) as slow:
        slow.execute("""INSERT INTO run_transition (run_id, kind, epoch, generation, owner_before)
                        VALUES ('a', 'commit_refused', 6, 0, 'w#1')""")
        scene.commit("a", "parse_request", "quote")
        until(page, lambda: entries(page) == logged())
        slow.commit()
    until(page, lambda: entries(page) == logged() and "refused" in page.locator("#log").inner_text())
    assert len(entries(page)) == 3


def test_c26_after_an_hour_asleep_the_page_loads_anew(opened: Opened) -> None:
    scene.order("a", status="started", lease=600, attempt=1)
    page = opened("/orders/")
    page.clock.install()
    page.goto("/run/?run=a")
    until(page, lambda: is_live(page))
    for n in range(5):
        scene.commit("a", f"done {n}", "quote", n=n)
    with page.expect_navigation():
        page.clock.fast_forward(3_700_000)
    until(page, lambda: entries(page) == logged())
    opened.forgive(["ERR_", "[object Event]"])  # type: ignore[attr-defined]


def test_open_details_scroll_and_a_half_typed_note_survive_the_swaps(opened: Opened) -> None:
    past.taken_over("a", ref="PO-2026-0041")
    page = opened("/run/?run=a")
    until(page, lambda: is_live(page))
    page.click("#timeline-table summary")
    page.click("#part-result-0 summary") if page.locator("#part-result-0").count() else None
    page.click("#write-note summary")
    page.fill("#note-text", "Half a sen")
    assert page.evaluate("scrollY") > 0
    scene.commit("a", "credit_check", "charge_card")
    until(page, lambda: "Charge the card" in page.locator("[aria-current=step]").inner_text())
    assert page.locator("#timeline-table").get_attribute("open") is not None
    assert page.locator("#note-text").input_value() == "Half a sen"
    assert page.evaluate("document.activeElement.id") == "note-text"
    assert page.evaluate("scrollY") > 0
    assert page.locator("#part-input").get_attribute("open") is not None


def test_a_chart_that_was_scrolled_stays_there(opened: Opened) -> None:
    past.taken_over("a")
    page = opened("/run/?run=a", viewport={"width": 390, "height": 844})
    until(page, lambda: is_live(page))
    page.locator("#chart").evaluate("chart => chart.scrollTo(120, 0)")
    scene.commit("a", "credit_check", "charge_card")
    until(page, lambda: "Charge the card" in page.locator("[aria-current=step]").inner_text())
    assert page.locator("#chart").evaluate("chart => chart.scrollLeft") == 120


def test_a_note_of_somebody_else_arrives(opened: Opened) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    page = opened("/run/?run=a")
    until(page, lambda: is_live(page))
    Note.objects.create(run_id="a", author="ben", text="The buyer rang again.", once=uuid.uuid4())
    until(page, lambda: "The buyer rang again." in page.locator("#notes").inner_text())
    page.click("#write-note summary")
    page.fill("#note-text", "Confirmed by phone.")
    page.click("#notes button.primary")
    until(page, lambda: "Confirmed by phone." in page.locator("#notes").inner_text())


def test_a_part_is_read_when_it_is_opened_and_only_then(opened: Opened) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    with connection.cursor() as db:
        db.execute("UPDATE run_state SET completed = %s", [json.dumps({"quote": {"total": "14200.00"}})])
    page = opened("/run/?run=a")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/payload/" in request.url else None)
    assert "14200.00" not in page.content()
    page.click("#part-result-0 summary")
    until(page, lambda: "14200.00" in page.locator("#part-result-0").inner_text())
    for _ in range(2):
        page.click("#part-result-0 summary")
    assert len(asked) == 1


def test_a_finished_run_opens_its_parts_too(opened: Opened) -> None:
    scene.order("a", status="done", step="notify_buyer")
    page = opened("/run/?run=a")
    page.click("#part-result-0 summary")
    until(page, lambda: "hidden" in page.locator("#part-result-0 .part-body").inner_text())


def test_the_parts_open_without_scripts(opened: Opened) -> None:
    scene.order("a", status="started", lease=60)
    page = opened("/run/?run=a", java_script_enabled=False)
    page.click("#part-result-0 summary")
    page.click("#part-result-0 a")
    assert "Secret" in page.locator("main").inner_text()


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
    from runs.queries import run_query

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


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (1152, 720), (390, 844)])
def test_a_takeover_reads_well_at_every_size(opened: Opened, size: tuple[int, int], theme: str) -> None:
    past.taken_over("a", ref="PO-2026-0041")
    past.run("gap", [
        {"ago": 400_000, "kind": "claimed", "epoch": 1, "owner_after": past.OLD, "lease_event": "claimed"},
        {"ago": 399_990, "kind": "waiting", "epoch": 1, "owner_before": past.OLD},
        {"ago": 20, "kind": "woken", "epoch": 2, "owner_after": past.NEW, "lease_event": "claimed"},
    ], owner=past.NEW, lease=20, epoch=2)  # fmt: skip
    page = opened("/orders/", viewport={"width": size[0], "height": size[1]}, color_scheme=theme)
    for run_id in ("a", "gap"):
        page.goto(f"/run/?run={run_id}")
        page.click("#timeline-table summary")
        assert serious(page) == [], (run_id, size, theme)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        sizes = page.locator(".lanes text").evaluate_all(
            "texts => texts.map(text => getComputedStyle(text).fontSize)"
        )
        assert set(sizes) == {"12px"}
        boxes = [text.bounding_box() for text in page.locator(".lanes .tick").all()]
        edges = [(box["x"], box["x"] + box["width"]) for box in boxes if box]
        assert all(left[1] <= right[0] for left, right in pairwise(edges))
