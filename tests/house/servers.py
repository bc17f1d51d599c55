"""The servers of the tests: those of DATABASE_URL and CELERY_BROKER_URL, else embedded ones of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
import redis
from django.contrib.auth.models import Group
from django.db import connection
from psycopg import sql

from dashboard import env, roles
from dashboard.embedded import place
from dashboard.embedded.tenancy import Tenancy

BROKER_DATABASES = 1000


class NoServer(Exception):
    """No server answers. The message is one sentence and names the remedy."""


@dataclass(frozen=True)
class Addresses:
    database: str
    broker: str


@contextmanager
def for_tests(data: Path) -> Iterator[Addresses]:
    """Embedded servers keep tests apart from the demo: another directory, and no care for a crash."""
    database, broker = env.DATABASE_URL.value(), env.CELERY_BROKER_URL.value()
    try:
        tenancy = Tenancy.enter(data, database=not database, broker=not broker, forgetful=True)
    except env.Refused as refusal:
        raise NoServer(str(refusal)) from None
    try:
        if database:
            _demand(database)
        else:
            _drop_leftovers(place.database_url(data))
        yield Addresses(database or place.database_url(data), broker or _numbered_broker(data))
    finally:
        tenancy.leave()


def have_roles() -> None:
    if not Group.objects.exists():
        roles.ensure_roles()


def allow_truncate() -> None:
    """Switch off the triggers that refuse TRUNCATE, on the log and on each of its partitions."""
    guards = (
        "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE tgname LIKE %s AND tgenabled <> 'D'"
    )
    with connection.cursor() as cursor:
        cursor.execute(guards, [r"%\_no\_truncate"])
        for table, trigger in cursor.fetchall():
            cursor.execute(f'ALTER TABLE {table} DISABLE TRIGGER "{trigger}"')


def _demand(url: str) -> None:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.Error:
        raise NoServer(
            "No PostgreSQL answers at DATABASE_URL: start it, or unset it and the tests bring their own."
        ) from None


def _drop_leftovers(url: str) -> None:
    """A session that was killed leaves its database behind; its name tells whose it was."""
    with psycopg.connect(url, autocommit=True) as conn:
        names = conn.execute(
            "SELECT datname FROM pg_database WHERE datname LIKE 'test\\_leaseboard\\_%'"
        ).fetchall()
        for (name,) in names:
            if not psutil.pid_exists(int(name.rsplit("_", 1)[1])):
                conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _numbered_broker(data: Path) -> str:
    """Sessions side by side share one Valkey, each with a database that its process number picks."""
    number = os.getpid() % BROKER_DATABASES
    redis.Redis(unix_socket_path=str(place.socket_directory(data) / "valkey.sock"), db=number).flushdb()
    return f"{place.broker_url(data)}?virtual_host={number}"
