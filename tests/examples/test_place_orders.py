"""The traffic as a process of its own: it goes on, and says in one sentence what keeps it."""

from __future__ import annotations

import os
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from django.db import connection

from examples.purchase_orders.vendors.process import PROJECT
from runs.models import RunState
from tests.examples.conftest import wait_for

pytestmark = pytest.mark.django_db(transaction=True)
NOBODY = "127.0.0.1:9"


@pytest.fixture
def traffic(database_url: str, broker_url: str) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start(*options: str, **env: str) -> subprocess.Popen[str]:
        command = [sys.executable, "manage.py", "place_orders", "--every", "0", *options]
        env = {**os.environ, "DATABASE_URL": database_url, "CELERY_BROKER_URL": broker_url, **env}
        process = subprocess.Popen(command, cwd=PROJECT, env=env, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_it_places_orders_and_goes_on_where_it_ended(traffic):
    for _ in range(2):
        said, _ = traffic("--count", "3").communicate(timeout=60)
        assert said == "Placed 3 orders.\n"
    refs = RunState.objects.order_by("created_at").values_list("order_ref", flat=True)
    assert [ref.rpartition("-")[2] for ref in refs] == ["0001", "0002", "0003", "0004", "0005", "0006"]


def test_every_twelfth_order_brings_a_return(traffic):
    traffic("--count", "12").communicate(timeout=60)
    assert RunState.objects.filter(workflow="goods_return").count() == 1


def test_without_a_broker_orders_are_saved(traffic):
    said, _ = traffic("--count", "2", CELERY_BROKER_URL=f"redis://{NOBODY}/0").communicate(timeout=60)
    assert said.splitlines()[0] == "The broker is away: orders are saved, and the sweep starts them later."
    assert len(said.splitlines()) == 2 and RunState.objects.count() == 2


class Door(socketserver.ThreadingTCPServer):
    """A way to the database that a test can shut."""

    allow_reuse_address = True

    def __init__(self, port: int = 0) -> None:
        self.open: list[socket.socket] = []
        super().__init__(("127.0.0.1", port), Passage)
        self.port = self.server_address[1]
        behind = connection.get_connection_params()
        self.url = f"postgresql://{behind['user']}@127.0.0.1:{self.port}/{behind['dbname']}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def shut(self) -> None:
        self.shutdown()
        for end in self.open:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self.server_close()


class Passage(socketserver.BaseRequestHandler):
    server: Door

    def handle(self) -> None:
        with to_database() as inner:
            self.server.open += [self.request, inner]
            back = threading.Thread(target=pour, args=(inner, self.request))
            back.start()
            pour(self.request, inner)
            back.join()


def to_database() -> socket.socket:
    behind = connection.get_connection_params()
    host, port = behind.get("host") or "127.0.0.1", behind.get("port") or 5432
    if not host.startswith("/"):
        return socket.create_connection((host, int(port)))
    local = socket.socket(socket.AF_UNIX)
    local.connect(f"{host}/.s.PGSQL.{port}")
    return local


def pour(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def test_it_outlives_the_database_and_says_so_once(traffic):
    door = Door()
    running = traffic("--every", "0.05", DATABASE_URL=door.url)
    wait_for(lambda: RunState.objects.count() > 3)
    door.shut()
    assert running.stdout.readline() == "The database is away: no orders are placed until it is back.\n"
    door = Door(door.port)
    assert running.stdout.readline() == "Orders are placed again.\n"
    placed = RunState.objects.count()
    wait_for(lambda: RunState.objects.count() > placed)
    running.terminate()
    said, _ = running.communicate(timeout=20)
    door.shut()
    orders = RunState.objects.filter(workflow="purchase_order").values_list("order_ref", flat=True)
    assert len(set(orders)) == len(orders) and running.returncode == 0
    # The signal may fall between the commit and the count of it.
    assert said in {f"Placed {count} orders.\n" for count in (len(orders), len(orders) - 1)}
