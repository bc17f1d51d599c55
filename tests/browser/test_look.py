"""Each page at each width and theme: readable by axe, nothing cut off, nothing refused by the policy."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Opened, until
from tests.dashboard import scene

LONG = "RECONCILIATION-OF-THE-NOVEMBER-LEDGER-2026-11-PART-7-OF-12-A1"
SIZES = {"wide": (1440, 900), "laptop": (1152, 720), "phone": (390, 844)}
PATHS = {
    "orders": "/orders/?state=all",
    "attention": "/orders/",
    "empty": "/orders/?q=nothing-of-the-kind",
    "problem": "/orders/?f=colour:red+due:5m",
    "hidden": "/orders/?f=step:quote+worker:nobody",
    "mine": "/orders/?mine=1",
    "views": "/orders/views/",
    "run": "/run/?run=moving",
    "lost": "/run/?run=lost",
    "doubt": "/run/?run=doubt",
    "long": "/run/?run=long",
    "sign-in": "/sign-in/",
    "not-found": "/run/?run=none",
}


@pytest.fixture(autouse=True)
def orders(transactional_db: None) -> None:
    scene.publish(within_seconds=300)
    steps = [(f"stage_{n}", f"Stage {n}: reconcile", f"reconciling {n}", "pure", "") for n in range(40)]
    scene.publish("reconcile", steps)
    scene.worker()
    buyer = {"buyer": "Quelle & Söhne Vereinigte Werkstätten für Feinmechanik GmbH"}
    scene.order("moving", ref="PO-2026-0041", status="started", lease=1000, attempt=2, step="quote", items_done=92,
                items_total=240, labels=buyer, guard="repeat_ok")  # fmt: skip
    scene.label("moving", "amount", "14238902.10", "EUR")
    scene.order("lost", ref="PO-2026-0042", status="started", lease=-60, attempt=1, labels=buyer)
    scene.order(
        "doubt", ref="PO-2026-0043", status="in_doubt", step="charge_card", reason="Its worker went silent."
    )
    scene.order("long", ref=LONG, workflow="reconcile", step="stage_17", status="waiting", wake=4000)
    scene.order("x_'some/value'|50% #?+ é=" + "w" * 150, status="paused_by_v3")
    for n, status in enumerate(("pending", "held", "blocked", "failed", "done", "cancelled")):
        scene.order(f"run-{n}", ref=f"PO-2026-01{n}", status=status)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_serious(opened: Opened, size: str, theme: str) -> None:
    width, height = SIZES[size]
    page = opened("/orders/", viewport={"width": width, "height": height}, color_scheme=theme)
    for name, path in PATHS.items():
        page.goto(path)
        assert serious(page) == [], (name, size, theme)
        assert page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        ), (name, size)
    opened.forgive(["status of 404"])  # type: ignore[attr-defined]


def serious(page: Page) -> list[str]:
    """What axe calls serious or worse. Its script goes in past the policy, as a debugger's would."""
    result = Axe().run(page)
    return [f"{v['id']}: {v['nodes'][0]['html'][:120]}" for v in result.response["violations"]
            if v["impact"] in ("serious", "critical")]  # fmt: skip


def test_the_answer_is_above_the_fold(opened: Opened) -> None:
    for size in ("wide", "laptop"):
        width, height = SIZES[size]
        page = opened("/orders/", viewport={"width": width, "height": height})
        first = page.locator("tbody tr").first.bounding_box()
        assert first is not None
        assert first["y"] + first["height"] < height


def test_the_theme_is_kept_on_the_server_and_wins_over_the_system(opened: Opened) -> None:
    page = opened("/orders/", color_scheme="light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#menu > summary")
    page.click("button[name=theme][value=dark]")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light


def test_the_zone_moves_every_time_on_the_page(opened: Opened) -> None:
    page = opened("/run/?run=moving")
    before = page.locator(".when").first.inner_text()
    page.click("#menu > summary")
    page.select_option("#zone", "Asia/Tokyo")
    page.wait_for_url("**/run/?run=moving")
    until(page, lambda: page.locator(".when").first.inner_text() != before)
    assert (int(page.locator(".when").first.inner_text().split()[-1][:2]) - int(before[:2])) % 24 == 9


def test_slash_finds_the_search_and_one_hit_opens_it(opened: Opened) -> None:
    page = opened("/orders/")
    page.keyboard.press("/")
    page.keyboard.type("0041")
    page.keyboard.press("Enter")
    page.wait_for_url("**/run/?run=moving")
    assert page.locator("h1").inner_text() == "PO-2026-0041"


def test_pages_work_without_scripts(opened: Opened) -> None:
    page = opened("/orders/?state=all", java_script_enabled=False)
    page.click("text=PO-2026-0041")
    assert page.locator("h1").inner_text() == "PO-2026-0041"
    assert page.locator("#pause").is_hidden()


def test_motion_can_be_switched_off(opened: Opened) -> None:
    page = opened("/run/?run=moving", reduced_motion="reduce")
    assert page.locator(".ring .left").evaluate("arc => getComputedStyle(arc).transitionDuration") == "0s"
