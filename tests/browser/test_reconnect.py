"""The run's page loses nothing and repeats nothing, however its stream is cut."""

from __future__ import annotations

import psycopg
import pytest
from django.db import connection
from playwright.sync_api import Page

from tests.browser.conftest import Opened, Site, until
from tests.browser.test_live import chip, is_live
from tests.dashboard import past, scene

# Keeps every EventSource that the page opens, to count those that are not closed.
COUNTED = """(() => { const Real = window.EventSource; window.sources = [];
  window.EventSource = class extends Real { constructor(...given) { super(...given); window.sources.push(this); } }; })()"""


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
