"""A real uvicorn process over the test database, and a browser signed in to it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.dashboard import scene

ROOT = Path(__file__).parents[2]


class Site:
    """The server: it can be killed and come back on the same port, as a deploy would do."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "uvicorn", "dashboard.asgi:application", "--port", str(self.port)]
        environment = {**os.environ, "DEBUG": "1", "ALLOWED_HOSTS": "127.0.0.1"}
        self.process = subprocess.Popen([*command, "--log-level", "warning"], cwd=ROOT, env=environment)
        self._wait()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _wait(self) -> None:
        for _ in range(200):
            try:
                urllib.request.urlopen(self.url + "/healthz", timeout=2).close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("The server did not come up.")


@pytest.fixture(scope="session")
def site(django_db_setup: None, browser: Browser) -> Iterator[Site]:
    running = Site()
    yield running
    running.kill()


Opened = Callable[..., Page]


@pytest.fixture
def opened(transactional_db: None, site: Site, browser: Browser) -> Iterator[Opened]:
    """Open a path as Ada. Whatever the pages write to the console, or refuse by policy, fails the test."""
    scene.person("ada", "support")
    contexts: list[BrowserContext] = []
    complaints: list[str] = []
    forgiven: list[str] = []

    def open_page(path: str, **options: Any) -> Page:
        context = browser.new_context(
            **{"base_url": site.url, "viewport": {"width": 1440, "height": 900}, **options}
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/sign-in/?next=" + quote(path))
        page.fill("#id_username", "ada")
        page.fill("#id_password", "ada")
        page.click("button.primary")
        page.goto(path)
        return page

    open_page.forgive = forgiven.extend  # type: ignore[attr-defined]
    yield open_page
    for context in contexts:
        context.close()
    assert [text for text in complaints if not any(part in text for part in forgiven)] == []


def until(page: Page, true: Callable[[], object], seconds: float = 8) -> None:
    """Wait for it without evaluating a string in the page, which the page's policy forbids."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"Not within {seconds} s."
        page.wait_for_timeout(50)
