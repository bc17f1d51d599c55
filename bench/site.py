"""A real web process over the benchmark's database, and people signed in to it."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from typing import IO
from urllib.parse import urlencode

START_SECONDS = 30
USER = "bench"
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass(frozen=True)
class Site:
    """Where it answers, the process, and the cookie of somebody who may see orders."""

    host: str
    port: int
    pid: int
    cookie: str

    def get(self, path: str) -> str:
        asked = urllib.request.Request(
            f"http://{self.host}:{self.port}{path}", headers={"Cookie": self.cookie}
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return str(answer.read().decode())

    def resident_mb(self) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/task"))


@contextmanager
def site(log: IO[str], *roles: str) -> Iterator[Site]:
    """One uvicorn, as `manage.py up` starts it, and somebody of these roles who has signed in to it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        "dashboard.asgi:application",
        "--port",
        str(port),
        "--log-level",
        "warning",
    ]
    environment = {**os.environ, "ALLOWED_HOSTS": "127.0.0.1"}
    process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        _await(f"http://127.0.0.1:{port}/healthz")
        yield Site("127.0.0.1", port, process.pid, _cookie(port, roles or ("support",)))
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > deadline:
                raise RuntimeError(f"The web process did not answer within {START_SECONDS} s.") from None
            time.sleep(0.2)


def _cookie(port: int, roles: tuple[str, ...]) -> str:
    """Sign in as a browser does, and keep what it would send from then on."""
    from django.contrib.auth.models import Group, User

    password = secrets.token_urlsafe()
    user, _ = User.objects.get_or_create(username=USER)
    user.set_password(password)
    user.save()
    user.groups.set(Group.objects.filter(name__in=roles))
    jar = CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    address = f"http://127.0.0.1:{port}/sign-in/"
    token = TOKEN.findall(browser.open(address).read().decode())[0]
    form = {"csrfmiddlewaretoken": token, "username": USER, "password": password, "next": "/healthz"}
    browser.open(address, urlencode(form).encode()).close()
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)
