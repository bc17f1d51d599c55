"""Pages that move by themselves: rows, countdowns, a stream that is lost and found again."""

from __future__ import annotations

import psycopg
import pytest
from django.db import connection
from playwright.sync_api import Page

from runs.queries import dom_key
from tests.browser.buffering import buffering
from tests.browser.conftest import Opened, Site, until
from tests.dashboard import scene


@pytest.fixture(autouse=True)
def published(transactional_db: None) -> None:
    scene.publish(within_seconds=300)
    scene.worker()


def row(page: Page, run_id: str) -> str:
    return page.locator(f"#row-{dom_key(run_id)}").inner_text()


def chip(page: Page) -> str | None:
    return page.locator("#chip").get_attribute("data-state")


def is_live(page: Page) -> bool:
    return page.locator("#chip").inner_text().startswith("live")


def test_a_row_changes_in_place_and_new_ones_wait_to_be_shown(opened: Opened) -> None:
    for name in ("a", "b"):
        scene.order(name, status="started", lease=25, attempt=1)
    page = opened("/orders/?state=open")
    until(page, lambda: is_live(page))
    order = page.locator("tbody tr").evaluate_all("rows => rows.map(row => row.id)")
    scene.commit("a", "parse_request", "quote", items_done=3, items_total=12)
    until(page, lambda: "item 4 of 12" in row(page, "a"))
    scene.commit("a", "quote", "credit_check")
    until(page, lambda: "3 of 5" in row(page, "a"))
    scene.order("c", status="pending")
    until(page, lambda: "1 new" in page.locator("#news").inner_text())
    assert page.locator("tbody tr").evaluate_all("rows => rows.map(row => row.id)") == order
    until(page, lambda: "All 3 orders are on their way" in page.locator("h1").inner_text())
    page.click("#news a")
    assert page.locator("tbody tr").count() == 3


def test_items_and_lapses_show_though_the_log_does_not_tell_them(opened: Opened) -> None:
    scene.order("a", status="started", lease=4, attempt=1, step="quote", items_done=1, items_total=9)
    page = opened("/orders/?state=open")
    until(page, lambda: "item 2 of 9" in row(page, "a"))
    with connection.cursor() as db:
        db.execute("UPDATE run_state SET cursor = cursor || '{\"items_done\": 5}'")
    until(page, lambda: "item 6 of 9" in row(page, "a"))
    until(page, lambda: "Lost its worker" in row(page, "a"))


def test_the_run_page_follows_its_run_to_the_end(opened: Opened) -> None:
    scene.order("a", status="started", lease=25, attempt=1)
    page = opened("/run/?run=a")
    until(page, lambda: is_live(page))
    for done, onward in zip([s[0] for s in scene.STEPS], [s[0] for s in scene.STEPS[1:]], strict=False):
        scene.commit("a", done, onward)
    until(page, lambda: "Notify the buyer" in page.locator("[aria-current=step]").inner_text())
    scene.commit("a", "notify_buyer", "notify_buyer", status="done")
    until(page, lambda: chip(page) == "final" or page.locator("#chip").inner_text().startswith("final"))
    assert "Done" in page.locator(".name").inner_text()
    ids = page.locator(".entry").evaluate_all("rows => rows.map(row => row.id)")
    assert len(ids) == len(set(ids)) == 6


def test_the_countdown_ticks_by_itself_and_the_renewal_shows(opened: Opened) -> None:
    scene.order("a", status="started", lease=25, attempt=1)
    page = opened("/run/?run=a")
    page.locator("#stream").evaluate("stream => stream.remove()")
    before = page.locator(".countdown strong").inner_text()
    ring = page.locator(".ring .left").get_attribute("stroke-dasharray")
    until(page, lambda: page.locator(".countdown strong").inner_text() != before, 3)
    assert page.locator(".ring .left").get_attribute("stroke-dasharray") != ring
    page.reload()
    until(page, lambda: is_live(page))
    with connection.cursor() as db:
        db.execute("UPDATE run_state SET lease_expires_at = clock_timestamp() + interval '30 s'")
    until(page, lambda: page.locator(".countdown strong").inner_text() in ("29 s", "28 s", "27 s"), 6)
    assert page.locator(".countdown").get_attribute("aria-live") is None


def test_the_countdown_goes_by_the_databases_clock(opened: Opened) -> None:
    scene.order("a", status="started", lease=25, attempt=1)
    page = opened("/orders/")
    page.clock.install(time="2031-01-01")
    page.goto("/run/?run=a")
    assert page.locator(".countdown strong").inner_text() in {f"{n} s" for n in range(1, 26)}


def test_a_reconnect_neither_loses_nor_repeats(opened: Opened, site: Site) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    scene.order("still", status="started", lease=60, attempt=1)
    page = opened("/orders/?state=open")
    until(page, lambda: is_live(page))
    page.evaluate(
        """() => { window.swapped = []; document.addEventListener("htmx:oobBeforeSwap",
           event => window.swapped.push(event.detail.target.id)); }"""
    )
    site.kill()
    until(page, lambda: chip(page) == "reconnecting", 5)
    scene.commit("a", "parse_request", "quote")
    scene.commit("a", "quote", "credit_check")
    scene.order("late", status="pending")
    site.start()
    until(page, lambda: "3 of 5" in row(page, "a"), 15)
    until(page, lambda: "1 new" in page.locator("#news").inner_text())
    page.wait_for_timeout(2500)
    swapped = page.evaluate("window.swapped")
    assert swapped.count(f"row-{dom_key('a')}") == 1
    assert f"row-{dom_key('still')}" not in swapped
    # The refused connections while nobody listened are the browser's and the extension's own complaint.
    opened.forgive(["ERR_", "[object Event]"])  # type: ignore[attr-defined]


def test_a_slow_transaction_is_told_and_its_rows_arrive(opened: Opened, database_url: str) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    page = opened("/run/?run=a")
    until(page, lambda: is_live(page))
    with psycopg.connect(database_url) as slow:
        slow.execute("INSERT INTO run_state (run_id, cursor, input) VALUES ('slow', '{}', '{}')")
        scene.commit("a", "parse_request", "quote")
        until(page, lambda: "Build the quote" in page.locator("[aria-current=step]").inner_text(), 5)
        until(page, lambda: chip(page) == "delayed", 8)
        assert "delayed by a long transaction" in page.locator("#chip").inner_text()
        slow.commit()
    until(page, lambda: chip(page) == "live")


def test_pause_stops_and_resuming_catches_up(opened: Opened) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    page = opened("/orders/?state=open")
    until(page, lambda: is_live(page))
    page.click("#pause")
    assert chip(page) == "paused"
    scene.commit("a", "parse_request", "quote")
    page.wait_for_timeout(1500)
    assert "1 of 5" in row(page, "a")
    page.click("#pause")
    until(page, lambda: "2 of 5" in row(page, "a"))


def test_where_no_stream_gets_through_the_page_asks(opened: Opened) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    page = opened("/run/?run=a")
    page.context.route("**/live/**", lambda route: route.abort())
    page.goto("/orders/?state=open")
    scene.commit("a", "parse_request", "quote")
    until(page, lambda: "2 of 5" in row(page, "a"), 25)
    assert chip(page) == "polling"
    opened.forgive(["ERR_", "[object Event]"])  # type: ignore[attr-defined]


def test_behind_a_proxy_that_buffers_and_cuts_polling_takes_over_and_says_so(
    opened: Opened, site: Site
) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    with buffering(site.port) as url:
        page = opened("/orders/?state=open", base_url=url)
        until(page, lambda: chip(page) == "polling", 16)
        scene.commit("a", "parse_request", "quote")
        until(page, lambda: "2 of 5" in row(page, "a"), 10)
        assert chip(page) == "polling"
    opened.forgive(["ERR_", "[object ", "undefined"])  # type: ignore[attr-defined]


def test_focus_and_selection_survive_a_swap(opened: Opened) -> None:
    scene.order("a", ref="PO-2026-0041", status="started", lease=60, attempt=1)
    page = opened("/orders/?state=open")
    until(page, lambda: is_live(page))
    link = page.locator(f"#open-{dom_key('a')}")
    link.focus()
    link.evaluate("link => document.getSelection().selectAllChildren(link)")
    scene.commit("a", "parse_request", "quote")
    until(page, lambda: "2 of 5" in row(page, "a"))
    assert page.evaluate("document.activeElement.id") == f"open-{dom_key('a')}"
    assert page.evaluate("document.getSelection().toString()") == "PO-2026-0041"


def test_viewers_hold_no_connection(opened: Opened, database_url: str) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    pages = [opened("/orders/?state=open") for _ in range(4)] + [opened("/run/?run=a") for _ in range(4)]
    for page in pages:
        until(page, lambda page=page: is_live(page))
    with psycopg.connect(database_url) as other:
        mine = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        row = other.execute(mine).fetchone()
    # This test's own connections, the web's pool of at most four, and the tailer's one.
    assert row is not None
    assert row[0] <= 4 + 1 + 2


def test_pausing_while_reconnecting_stays_paused(opened: Opened, site: Site) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    page = opened("/orders/?state=open")
    until(page, lambda: is_live(page))
    site.kill()
    until(page, lambda: chip(page) == "reconnecting", 5)
    page.click("#pause")
    site.start()
    scene.commit("a", "parse_request", "quote")
    page.wait_for_timeout(3000)
    assert chip(page) == "paused"
    assert "1 of 5" in row(page, "a")
    page.click("#pause")
    until(page, lambda: "2 of 5" in row(page, "a"))
    opened.forgive(["ERR_", "[object Event]"])  # type: ignore[attr-defined]


def test_a_broken_poll_is_told(opened: Opened) -> None:
    scene.order("a", status="started", lease=60, attempt=1)
    page = opened("/run/?run=a")
    page.context.route("**/live/**", lambda route: route.abort())
    page.context.route("**/rows/**", lambda route: route.fulfill(status=503, body="away"))
    page.goto("/orders/?state=open")
    page.wait_for_timeout(22_000)
    assert chip(page) == "reconnecting"
    opened.forgive(["ERR_", "[object Event]", "503", "Response Status"])  # type: ignore[attr-defined]
