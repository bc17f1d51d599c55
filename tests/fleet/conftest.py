"""A migrated database to copy for each scene, and the lanes on which the wanted scenes are played."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.core.management import call_command
from psycopg import sql

from tests.fleet.lanes import Lanes, lanes_for, scenes
from tests.fleet.stage import Stage
from tests.house.servers import Addresses
from tests.support.board import connected_to

HERE = Path(__file__).parent


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """These tests stand together, after the others: while scenes are played the machine is busy, and a test
    of another folder may count milliseconds.
    """
    yield
    items.sort(key=lambda item: HERE in item.path.parents)


@pytest.fixture(scope="session")
def template(
    embedded: Addresses, django_db_modify_db_settings: None, django_db_blocker: Any
) -> Iterator[str]:
    """The name of a migrated database that nobody is connected to."""
    name = f"test_leaseboard_fleet_{os.getpid()}"
    with _dropped_after(embedded.database, name):
        _execute(embedded.database, "CREATE DATABASE {}", name)
        with django_db_blocker.unblock(), connected_to(name):
            call_command("migrate", verbosity=0)
        yield name


@pytest.fixture(scope="session")
def lanes(embedded: Addresses, template: str, request: pytest.FixtureRequest) -> Iterator[Lanes]:
    wanted = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
    with lanes_for(wanted & scenes.keys(), _stages(embedded.database, template)) as lanes:
        yield lanes


def _stages(server: str, template: str) -> Callable[[str], Any]:
    @contextmanager
    def stage(scene: str) -> Iterator[Stage]:
        name = f"test_leaseboard_{scene}_{os.getpid()}"
        with _dropped_after(server, name):
            _execute(server, "CREATE DATABASE {} TEMPLATE {}", name, template)
            stage = Stage(urlsplit(server)._replace(path=f"/{name}").geturl(), scene)
            try:
                stage.broker.start()
                yield stage
            finally:
                stage.close()

    return stage


@contextmanager
def _dropped_after(server: str, name: str) -> Iterator[None]:
    try:
        yield
    finally:
        _execute(server, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


def _execute(server: str, text: str, *names: str) -> None:
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(sql.SQL(text).format(*map(sql.Identifier, names)))
