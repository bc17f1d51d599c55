"""The browser of the tests: Debian's Chromium where it is installed, else the one that Playwright brought."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

MISSING = "BROWSER TESTS SKIPPED: no Chromium here. Install it with `apt-get install chromium`."


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium. Tests that need one are skipped where there is none; the summary says why."""
    if found := shutil.which("chromium") or shutil.which("chromium-browser"):
        return found
    with sync_playwright() as playwright:
        brought = playwright.chromium.executable_path
    if not Path(brought).exists():
        pytest.skip(MISSING)
    return brought


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for the session; each test opens a context of its own."""
    # Playwright's blocking interface keeps an event loop in this thread, at which Django would refuse
    # every query of the test itself.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    sandbox = [] if os.geteuid() else ["--no-sandbox"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=sandbox)
        yield running
        running.close()
