"""The server of a benchmark, with databases of its own that are dropped in the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from dashboard import env
from dashboard.embedded import place
from dashboard.embedded.tenancy import Tenancy

# A connection for each of eight threads, as the bare statement and the peers have.
POOL = 8
WORKFLOWS = "bench.nine_steps,bench.many_items,bench.waiting"


@dataclass(frozen=True)
class Server:
    """Where it is, and what it is; ``url`` is that of the record's own database."""

    maintenance: str
    url: str
    version: str
    fsync: str

    def database(self, name: str) -> str:
        """The URL of a new, empty database."""
        full = f"leaseboard_bench_{os.getpid()}_{name}"
        with psycopg.connect(self.maintenance, autocommit=True) as conn:
            conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(full)))
        return urlsplit(self.maintenance)._replace(path=f"/{full}").geturl()


@contextmanager
def server() -> Iterator[Server]:
    """DATABASE_URL's server, or an embedded one that keeps its promise of durability; Django stands on it after."""
    data = place.data_directory() / "bench"
    database, broker = env.DATABASE_URL.value(), env.CELERY_BROKER_URL.value()
    tenancy = Tenancy.enter(data, database=not database, broker=not broker)
    maintenance = database or place.database_url(data)
    try:
        with psycopg.connect(maintenance) as conn:
            version, fsync = (conn.execute(f"SHOW {name}").fetchone() for name in ("server_version", "fsync"))
        found = Server(maintenance, "", str(version and version[0]), str(fsync and fsync[0]))
        url = found.database("record")
        _stand_on(url, broker or place.broker_url(data), data)
        yield Server(maintenance, url, found.version, found.fsync)
    finally:
        _drop(maintenance)
        tenancy.leave()


def _stand_on(url: str, broker: str, data: os.PathLike[str]) -> None:
    os.environ.update(
        DATABASE_URL=url, CELERY_BROKER_URL=broker, LEASEBOARD_DATA=str(data), LEASEBOARD_POOL=str(POOL),
        LEASEBOARD_WORKFLOWS=WORKFLOWS, DJANGO_SETTINGS_MODULE="dashboard.settings",
    )  # fmt: skip
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    # What the record's own pool holds is measured, and nothing else of ours may stand beside it.
    connection.close()
    connection.close_pool()


def _drop(maintenance: str) -> None:
    with psycopg.connect(maintenance, autocommit=True) as conn:
        mine = f"leaseboard\\_bench\\_{os.getpid()}\\_%"
        for (name,) in conn.execute(
            "SELECT datname FROM pg_database WHERE datname LIKE %s", [mine]
        ).fetchall():
            conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
