"""A real web process over the benchmark's database, and people signed in to it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

START_SECONDS = 30


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
def site(log: IO[str]) -> Iterator[Site]:
    """One uvicorn, as `manage.py up` starts it."""
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
    environment = {**os.environ, "ALLOWED_HOSTS": "127.0.0.1", "DEBUG": "1"}
    process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        _await(f"http://127.0.0.1:{port}/healthz")
        yield Site("127.0.0.1", port, process.pid, _cookie())
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


def _cookie() -> str:
    """A session of a member of support, as a sign-in would have made it."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.models import Group, User
    from django.contrib.sessions.backends.db import SessionStore

    user, made = User.objects.get_or_create(username="bench")
    if made:
        user.groups.add(Group.objects.get(name="support"))
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"
