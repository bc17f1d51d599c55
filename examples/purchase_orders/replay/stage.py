"""What a replay runs on: a database of its own, a corner of the broker, vendors with fresh books.

A demo on the same servers notices nothing, and nothing is left behind.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from examples.purchase_orders.replay.plan import Plan, PlanRefused
from examples.purchase_orders.vendors.process import Simulator, start_simulator

EXAMPLE = "examples.purchase_orders"
# Left to whoever else uses the server, and to our own look at the record.
CONNECTIONS_LEFT = 24
POOL = 4


@dataclass(frozen=True)
class Stage:
    """`environment` is what the workers' parent is started with: it reads settings as every worker does."""

    name: str
    folder: Path
    database: str
    vendors: Simulator
    environment: dict[str, str]


@contextmanager
def stage(plan: Plan, keep: bool = False) -> Iterator[Stage]:
    """Build the stage and take it down again; with keep, database and folder stay. Raises PlanRefused."""
    name = f"replay_{os.getpid()}"
    folder = Path(tempfile.mkdtemp(prefix=f"leaseboard-{name}-"))
    server = os.environ["DATABASE_URL"]
    try:
        pool = _connections_each(server, plan)
        _create(server, name)
        with start_simulator(plan.speed, folder / "books", plan.seed) as vendors:
            for vendor, times in plan.slow:
                vendors.control(vendor=vendor, latency_factor=times)
            url = urlsplit(server)._replace(path=f"/{name}").geturl()
            yield Stage(name, folder, url, vendors, _environment(plan, name, url, folder, vendors.url, pool))
    finally:
        if not keep:
            _drop(server, name)
            shutil.rmtree(folder, ignore_errors=True)


def _environment(plan: Plan, name: str, url: str, folder: Path, vendors: str, pool: int) -> dict[str, str]:
    ours = {
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "dashboard.settings"),
        "DATABASE_URL": url,
        "LEASEBOARD_APPS": EXAMPLE,
        "LEASEBOARD_WORKFLOWS": f"{EXAMPLE}.workflow",
        "LEASEBOARD_TTL_SECONDS": f"{plan.ttl:.6f}",
        "LEASEBOARD_HEARTBEAT_SECONDS": f"{plan.heartbeat:.3f}",
        "LEASEBOARD_GRACE_SECONDS": f"{plan.grace:.3f}",
        "LEASEBOARD_POOL": str(pool),
        "VENDOR_SPEED": f"{plan.speed:g}",
        "VENDOR_SIMULATOR_URL": vendors,
        "REPLAY_LEADER": str(os.getpid()),
        "REPLAY_NAME": name,
        "REPLAY_FOLDER": str(folder),
    }
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("LEASEBOARD_CRASH")}
    return inherited | ours


def _connections_each(server: str, plan: Plan) -> int:
    """How large a worker's pool may be, while the old and the new build are both there."""
    with psycopg.connect(server, autocommit=True) as conn:
        row = conn.execute(
            "SELECT current_setting('max_connections')::int - (SELECT count(*) FROM pg_stat_activity)"
        ).fetchone()
    free = int(row[0]) if row else 0
    # Each worker has its heartbeat's connection beside its pool; the naive one needs neither.
    each = (free - CONNECTIONS_LEFT) // (2 * plan.workers) - 1
    if each < 1 and not plan.naive:
        most = (free - CONNECTIONS_LEFT) // 4
        raise PlanRefused(
            f"The database server has {free} connections left, enough for {max(most, 0)} workers of each build: "
            "lower --workers, or raise its max_connections."
        )
    return max(1, min(POOL, each))


def _create(server: str, name: str) -> None:
    try:
        with psycopg.connect(server, autocommit=True) as conn:
            conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
            conn.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
    except psycopg.errors.InsufficientPrivilege:
        raise PlanRefused(
            "The replay makes a database of its own, and this account may not: grant it CREATEDB, "
            "or unset DATABASE_URL for the embedded server."
        ) from None


def _drop(server: str, name: str) -> None:
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
