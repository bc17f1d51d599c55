"""Take the pictures. pytest runs this file only where it is named: `make shots`."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from dashboard.embedded import place
from tests.browser.conftest import Opened, opened, site
from tests.shots.story import SHOTS, tell

__all__ = ["opened", "site"]

FOLDER = place.data_directory() / "shots"
SIZES = {"wide": (1440, 900), "laptop": (1152, 720), "phone": (390, 844)}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pictures(opened: Opened, size: str, theme: str) -> None:
    tell()
    width, height = SIZES[size]
    page = opened("/orders/", viewport={"width": width, "height": height}, color_scheme=theme)
    for shot in SHOTS:
        page.goto(shot.path)
        _take(page, FOLDER / f"{shot.name}-{size}-{theme}.png")
    opened.forgive(["status of 404"])  # type: ignore[attr-defined]


def _take(page: Page, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Figures that count down move between two pictures; nothing else does.
    page.screenshot(path=path, full_page=True, animations="disabled")
