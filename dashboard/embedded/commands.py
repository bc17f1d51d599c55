"""Which commands of manage.py need servers, and how they get them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from dashboard import env
from dashboard.embedded import place
from dashboard.embedded.tenancy import Tenancy

CONNECT_SECONDS = 5

# These touch neither the database nor the broker; `up` starts its own.
WITHOUT_SERVERS = {
    "check",
    "collectstatic",
    "compilemessages",
    "diffsettings",
    "findstatic",
    "help",
    "makemessages",
    "startapp",
    "startproject",
    "up",
    "version",
}


@contextmanager
def servers_for(arguments: list[str]) -> Iterator[None]:
    """Keep the embedded servers while one command runs, where they are needed and nothing replaces them."""
    if not _needs_servers(arguments):
        yield
        return
    tenancy = move_in()
    try:
        yield
    finally:
        if tenancy is not None:
            tenancy.leave()


def move_in() -> Tenancy | None:
    """Start the parts that no URL replaces, and hand their URLs to this process and its children.

    Raises Refused, also for a database of the person's own that does not answer: a pool would try for long.
    """
    database, broker = not env.DATABASE_URL.is_given, not env.CELERY_BROKER_URL.is_given
    if not database:
        _demand_database()
    if not database and not broker:
        return None
    tenancy = Tenancy.enter(place.data_directory(), database=database, broker=broker)
    if database:
        os.environ[env.DATABASE_URL.name] = place.database_url()
    if broker:
        os.environ[env.CELERY_BROKER_URL.name] = place.broker_url()
    return tenancy


def _demand_database() -> None:
    try:
        psycopg.connect(env.DATABASE_URL.value() or "", connect_timeout=CONNECT_SECONDS).close()
    except psycopg.OperationalError as refusal:
        lines = [line.strip() for line in str(refusal).splitlines()]
        raise env.SettingRefused(
            f"PostgreSQL does not answer at DATABASE_URL ({lines[0]}): "
            "start it, correct the URL, or unset it for the embedded one."
        ) from None
    except psycopg.Error:
        # Options that only Django's side of the URL understands. Django will say what it thinks of them.
        return


def _needs_servers(arguments: list[str]) -> bool:
    command = arguments[1] if len(arguments) > 1 else "help"
    asks_for_help = any(word in ("-h", "--help", "--version") for word in arguments[1:])
    return not (asks_for_help or command in WITHOUT_SERVERS)
