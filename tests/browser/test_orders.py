"""The list in a browser: what is picked, opened or typed survives what moves; filters, views and files work."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from runs.queries import dom_key
from tests.browser.conftest import Opened, until
from tests.dashboard import scene

BUYER = [{"name": "buyer", "path": "input.buyer", "searchable": True}]


@pytest.fixture(autouse=True)
def published(transactional_db: None) -> None:
    scene.publish(within_seconds=300, labels=BUYER)
    scene.worker()
    for name in ("a", "b", "c"):
        scene.order(name, ref=f"PO-{name}", status="started", lease=60, attempt=1)


def box(page: Page, run_id: str) -> str:
    return f"#pick-{dom_key(run_id)}"


def is_live(page: Page) -> bool:
    return page.locator("#chip").inner_text().startswith("live")


def test_what_is_picked_survives_the_swap_of_its_row(opened: Opened) -> None:
    page = opened("/orders/?state=open")
    until(page, lambda: is_live(page))
    assert page.locator("#bulk").is_hidden()
    page.check(box(page, "a"))
    assert page.locator("#bulk").inner_text().startswith("1 selected")
    scene.commit("a", "parse_request", "quote")
    until(page, lambda: "2 of 5" in page.locator(f"#row-{dom_key('a')}").inner_text())
    assert page.locator(box(page, "a")).is_checked()
    page.check("[data-pick-all]")
    assert page.locator("#bulk").inner_text().startswith("3 selected")


def test_a_half_typed_filter_and_an_open_menu_survive_what_moves(opened: Opened) -> None:
    page = opened("/orders/?state=open")
    until(page, lambda: is_live(page))
    page.click("#views summary")
    page.fill("#view-name", "My li")
    page.fill("#f", "step:qu")
    before = page.evaluate("window.scrollY")
    scene.commit("a", "parse_request", "quote")
    scene.order("d", status="blocked")
    until(page, lambda: "One order needs attention" in page.locator("h1").inner_text())
    assert page.locator("#f").input_value() == "step:qu"
    assert page.locator("#view-name").input_value() == "My li"
    assert page.evaluate("document.activeElement.id") == "f"
    assert page.evaluate("window.scrollY") == before


def test_a_filter_is_typed_kept_in_the_url_and_saved_as_a_view(opened: Opened) -> None:
    page = opened("/orders/?state=open")
    scene.commit("b", "parse_request", "quote")
    page.fill("#f", "step:quote")
    page.keyboard.press("Enter")
    page.wait_for_url("**/orders/?state=open&f=step%3Aquote")
    assert page.locator("tbody tr").count() == 1
    page.click("#views summary")
    page.fill("#view-name", "At the quote")
    page.click("text=Save the view")
    page.wait_for_url("**view=*")
    assert page.locator("#views summary").inner_text() == "At the quote"
    page.goto("/orders/")
    page.click("#views summary")
    page.click("text=At the quote")
    assert page.locator("#f").input_value() == "step:quote"
    page.go_back()
    assert page.locator("#f").input_value() == ""


def test_new_orders_of_a_filter_are_told_and_others_are_not(opened: Opened) -> None:
    page = opened("/orders/?f=step:quote")
    until(page, lambda: is_live(page))
    scene.order("other", status="pending")
    scene.commit("c", "parse_request", "quote")
    until(page, lambda: "1 new" in page.locator("#news").inner_text())
    page.click("#news a")
    assert page.locator("tbody tr").count() == 1
    assert page.locator("#f").input_value() == "step:quote"


def test_a_failure_that_is_marked_seen_leaves_what_needs_attention(opened: Opened) -> None:
    scene.order("sad", ref="PO-sad", status="failed", step="quote")
    page = opened("/orders/")
    until(page, lambda: is_live(page))
    row = page.locator(f"#row-{dom_key('sad')}")
    assert "Failed, unseen" in row.inner_text()
    scene.seen("sad")
    until(page, lambda: "Failed, unseen" not in row.inner_text())
    until(page, lambda: "All 3 orders are on their way" in page.locator("h1").inner_text())


def test_following_and_filtering_need_no_script(opened: Opened) -> None:
    page = opened("/orders/?state=open", java_script_enabled=False)
    page.check(box(page, "b"))
    page.click("button[name=follow]")
    assert page.locator("text=Mine · 1").is_visible()
    page.click("text=Mine · 1")
    assert page.locator("tbody tr").count() == 1
    page.fill("#f", "colour:red")
    page.click("form.filter button")
    assert "expected one of" in page.locator("#filter-problems").inner_text()


def test_a_list_is_taken_along_whole(opened: Opened) -> None:
    for n in range(70):
        scene.order(f"many-{n}", ref=f"PO-{n:04}", status="held")
    page = opened("/orders/?state=on_hold")
    page.click("#export summary")
    with page.expect_download() as download:
        page.click("text=CSV")
    lines = download.value.path().read_text("utf-8-sig").splitlines()
    assert lines[0].startswith('"Orders as of ')
    assert lines[-1] == "End of the list: 70 orders"
    assert len(lines) == 73


def test_the_slash_can_be_switched_off(opened: Opened) -> None:
    page = opened("/orders/")
    page.click("#menu > summary")
    page.click("button[name=shortcuts][value=off]")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "q"
