"""The run's page in a browser: what is open, scrolled or typed stays; what others write arrives; every size reads."""

from __future__ import annotations

import json
import uuid
from itertools import pairwise

import pytest
from django.db import connection

from dashboard.models import Note
from tests.browser.conftest import Opened, until
from tests.browser.test_live import is_live
from tests.browser.test_look import serious
from tests.dashboard import past, scene


@pytest.fixture(autouse=True)
def published(transactional_db: None) -> None:
    scene.publish(within_seconds=300)
    for owner in (past.OLD, past.NEW):
        scene.worker(owner)


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
