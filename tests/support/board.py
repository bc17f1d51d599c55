"""A database of the record's own for tests that need committed rows.

One for the session, migrated once and never emptied: each test makes runs with ids of its own. Tests
of pages roll back in another database and never see these rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from runs import db
from tests.house.servers import Addresses

FLOWS = "tests.support.flows"
_made: list[str] = []


@pytest.fixture(scope="session")
def record_url(
    embedded: Addresses, django_db_modify_db_settings: None, django_db_blocker: Any
) -> Iterator[str]:
    """The address of the record's database, migrated; it is dropped at the session's end."""
    # Each folder of tests imports this fixture, and pytest counts each import as another one.
    if _made:
        yield _made[0]
        return
    # The number at its end says whose it is: a session that was killed leaves it to the next one.
    name = f"test_leaseboard_record_{os.getpid()}"
    with psycopg.connect(embedded.database, autocommit=True) as conn:
        conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    with django_db_blocker.unblock(), connected_to(name):
        call_command("migrate", verbosity=0)
    _made.append(urlsplit(embedded.database)._replace(path=f"/{name}").geturl())
    yield _made[0]
    _made.clear()
    with psycopg.connect(embedded.database, autocommit=True) as conn:
        conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="module", autouse=True)
def on_the_record(record_url: str, django_db_blocker: Any) -> Iterator[None]:
    """Let the tests of a module work on the record's database, with the workflows of tests."""
    declared, settings.LEASEBOARD_WORKFLOWS = settings.LEASEBOARD_WORKFLOWS, [FLOWS]
    with django_db_blocker.unblock(), connected_to(urlsplit(record_url).path.removeprefix("/")):
        yield
    settings.LEASEBOARD_WORKFLOWS = declared


@contextmanager
def connected_to(name: str = "", **address: Any) -> Iterator[None]:
    """Point Django's connection and the record's pool elsewhere, and back again."""
    default = connections["default"]
    changed: dict[str, Any] = {**({"NAME": name} if name else {}), **address}
    before = {part: default.settings_dict[part] for part in changed}
    _let_go()
    default.settings_dict.update(changed)
    try:
        yield
    finally:
        _let_go()
        default.settings_dict.update(before)


def _let_go() -> None:
    db.pool.close()
    default: Any = connections["default"]
    default.close()
    default.close_pool()
