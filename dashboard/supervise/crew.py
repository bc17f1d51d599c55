"""Which processes make a running Leaseboard."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

from dashboard import env
from dashboard.embedded import place
from dashboard.supervise.child import Child

WORKERS = 2
THREADS = "40"
ALONE = ["--without-gossip", "--without-mingle"]
EXAMPLE = "examples.purchase_orders"
# The example's vendors answer four times as fast as real ones: a run takes a minute and a half, and an
# order every 1.2 s keeps the workers' threads nearly busy.
VENDOR_SPEED = "4"

# Orders stop coming before their workers stop, and vendors answer until the last worker is done.
SOURCES, WORK, SURFACE = 1, 2, 3


def crew(data: Path) -> list[Child]:
    """Web, workers and beat; with the purchase-order example its vendors and its traffic as well."""
    house = [_web(), *(_worker(number + 1) for number in range(WORKERS)), _watch(), _beat()]
    return [*_vendors(data), *house, _orders()] if EXAMPLE in env.APPS.value() else house


def _web() -> Child:
    # Event streams end only when their reader leaves, so the graceful stop is cut short.
    options = ["--port", str(env.PORT.value()), "--no-access-log", "--timeout-graceful-shutdown", "3"]
    command = [
        "-m",
        "uvicorn",
        "dashboard.asgi:application",
        "--host",
        "127.0.0.1",
        "--lifespan",
        "off",
        *options,
    ]
    return Child("web", _python(*command), SURFACE, 8)


def _worker(number: int) -> Child:
    options = [
        "-P",
        "threads",
        "-c",
        THREADS,
        "-Q",
        "runs",
        "-n",
        f"worker-{number}@%h",
        "--loglevel",
        "INFO",
        *ALONE,
    ]
    return Child(f"worker-{number}", _celery("worker", *options), WORK, env.GRACE_SECONDS.value() + 5)


def _watch() -> Child:
    """The sweep's own worker: it must find lapsed leases while every thread of the others is in a call."""
    options = ["-P", "solo", "-Q", "watch", "-n", "watch@%h", "--loglevel", "INFO", *ALONE]
    return Child("watch", _celery("worker", *options), WORK, 5)


def _beat() -> Child:
    # Without a pid file: one that a kill left behind would stop the next beat from starting.
    return Child("beat", _celery("beat", "--loglevel", "INFO", "--pidfile="), SOURCES, 5)


def _orders() -> Child:
    return Child("orders", _python("manage.py", "place_orders", "--every", "1.2"), SOURCES, 5)


def _vendors(data: Path) -> list[Child]:
    """The vendor simulator on a free port, unless VENDOR_SIMULATOR_URL says where one runs already."""
    if env.VENDOR_SIMULATOR_URL.is_given:
        return []
    port = _free_port()
    os.environ[env.VENDOR_SIMULATOR_URL.name] = f"http://127.0.0.1:{port}"
    books = data / "vendor-books"
    place.closed_directory(books)
    speed = os.environ.setdefault("VENDOR_SPEED", VENDOR_SPEED)
    options = ["--port", str(port), "--books", str(books), "--speed", speed]
    return [Child("vendors", _python("-m", f"{EXAMPLE}.vendors", *options), SURFACE, 5)]


def _celery(*arguments: str) -> list[str]:
    return _python("-m", "celery", "--quiet", "-A", "dashboard", *arguments)


def _python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
