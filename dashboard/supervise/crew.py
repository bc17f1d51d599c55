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
THREADS = 40
QUIET = "--loglevel INFO --without-gossip --without-mingle"
EXAMPLE = "examples.purchase_orders"
# With vendors ten times as fast as real ones a run takes some 40 s, so this keeps half of the threads busy.
SECONDS_BETWEEN_ORDERS = "0.8"

# Orders stop coming before their workers stop, and vendors answer until the last worker is done.
SOURCES, WORK, SURFACE = 1, 2, 3


def crew(data: Path) -> list[Child]:
    """Web, workers and beat; with the purchase-order example its vendors and its traffic as well."""
    house = [_web(), *(_worker(number + 1) for number in range(WORKERS)), _watch(), _beat()]
    return [*_vendors(data), *house, _orders()] if EXAMPLE in env.APPS.value() else house


def _web() -> Child:
    # Event streams end only when their reader leaves, so the graceful stop is cut short.
    options = f"--host 127.0.0.1 --port {env.PORT.value()} --lifespan off --no-access-log"
    command = f"-m uvicorn dashboard.asgi:application {options} --timeout-graceful-shutdown 3"
    return Child("web", _python(*command.split()), SURFACE, 8)


def _worker(number: int) -> Child:
    options = f"-P threads -c {THREADS} -Q runs -n worker-{number}@%h {QUIET}"
    return Child(f"worker-{number}", _celery("worker", options), WORK, env.GRACE_SECONDS.value() + 5)


def _watch() -> Child:
    """The sweep's own worker: it must find lapsed leases while every thread of the others is in a call."""
    return Child("watch", _celery("worker", f"-P solo -Q watch -n watch@%h {QUIET}"), WORK, 5)


def _beat() -> Child:
    # Without a pid file: one that a kill left behind would stop the next beat from starting.
    return Child("beat", _celery("beat", "--loglevel INFO --pidfile="), SOURCES, 5)


def _orders() -> Child:
    return Child(
        "orders", _python("manage.py", "place_orders", "--every", SECONDS_BETWEEN_ORDERS), SOURCES, 5
    )


def _vendors(data: Path) -> list[Child]:
    """The vendor simulator on a free port, unless VENDOR_SIMULATOR_URL says where one runs already."""
    if env.VENDOR_SIMULATOR_URL.is_given:
        return []
    port = _free_port()
    os.environ[env.VENDOR_SIMULATOR_URL.name] = f"http://127.0.0.1:{port}"
    books = data / "vendor-books"
    place.closed_directory(books)
    speed = os.environ[env.VENDOR_SPEED.name] = f"{env.VENDOR_SPEED.value():g}"
    options = ["--port", str(port), "--books", str(books), "--speed", speed]
    return [Child("vendors", _python("-m", f"{EXAMPLE}.vendors", *options), SURFACE, 5)]


def _celery(command: str, options: str) -> list[str]:
    return _python("-m", "celery", "--quiet", "-A", "dashboard", command, *options.split())


def _python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
