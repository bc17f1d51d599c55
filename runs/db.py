"""The only place that touches a cursor: named statements from runs/sql, on our own pool or on Django's connection.

Workers use a small pool of autocommit connections, each statement its own transaction. Operators'
verbs run on Django's connection, so that they share the transaction of their audit row.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import OperationalError
from psycopg.adapt import Transformer
from psycopg.rows import dict_row
from psycopg.types.datetime import TimestamptzLoader
from psycopg.types.json import JsonbLoader
from psycopg_pool import ConnectionPool

from runs.errors import TookTooLong
from runs.prepared import Statement

SQL = Path(__file__).parent / "sql"
FIELD = "\x1f"
CONNECT_TIMEOUT_SECONDS = 5

Row = dict[str, Any]


class _BoundedTimes(TimestamptzLoader):
    """One row with an infinite time must not fail a whole query: infinity reads as None."""

    def load(self, data: Any) -> Any:
        return None if bytes(data).lstrip(b"-") == b"infinity" else super().load(data)


class _Cursor(psycopg.Cursor[Row]):
    """Rows as dicts, jsonb as Python values, whatever the connection itself is set to."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        super().__init__(connection, row_factory=dict_row)
        self.adapters.register_loader("timestamptz", _BoundedTimes)
        # Django's connections hand jsonb out as text, for its own fields to parse.
        self.adapters.register_loader("jsonb", JsonbLoader)


class _Connection(psycopg.Connection[Any]):
    """A connection of our own, set once to what _Cursor sets for each statement: that copies every adapter,
    at a tenth of a commit's price."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.row_factory = dict_row
        self.adapters.register_loader("timestamptz", _BoundedTimes)
        self.loaders = Transformer(self)
        self.prepared: set[bytes] = set()

    def rows(self, statement: Statement, params: Row) -> list[Row]:
        known = None if self.prepare_threshold is None else self.prepared
        with self.lock:
            return statement.run(self.pgconn, self.loaders, known, params)


@functools.cache
def statement(name: str) -> Statement:
    return Statement(name, sql(name).decode())


@functools.cache
def sql(name: str) -> bytes:
    """The statement of runs/sql/<name>.sql, without its header."""
    lines = (SQL / f"{name}.sql").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("--")).encode()


def by(verb: str, build: str = "", actor: str = "", reason: str = "", told: str = "") -> str:
    """What the log's trigger reads of the writer: the setting leaseboard.by."""
    fields = (verb, build, actor, reason, told)
    return FIELD.join(field.replace(FIELD, " ").replace("\x00", " ") for field in fields)


def execute(conn: psycopg.Connection[Any], name: str, params: Row) -> list[Row]:
    """Run a named statement and return its rows; a statement that returns none gives an empty list."""
    with _Cursor(conn) as cursor:
        cursor.execute(sql(name), params)
        return cursor.fetchall() if cursor.description else []


def connect(statement_timeout_seconds: float | None = None) -> psycopg.Connection[Any]:
    """An autocommit connection of one's own, for a heartbeat or a tailer; its statements may be bounded."""
    conn = _Connection.connect(**_parameters(), autocommit=True)
    if statement_timeout_seconds is not None:
        conn.execute(f"SET statement_timeout = {round(statement_timeout_seconds * 1000)}")
    return conn


@contextmanager
def impatient(conn: psycopg.Connection[Any], seconds: float) -> Iterator[None]:
    """A transaction that waits for no lock longer than this; past it psycopg raises LockNotAvailable."""
    with conn.transaction():
        conn.execute(f"SET LOCAL lock_timeout = {round(seconds * 1000)}")
        yield


def _parameters() -> Row:
    """Django's own connection parameters, without what belongs to its pool and cursors."""
    parameters = connections["default"].get_connection_params()
    wanted = {
        k: v
        for k, v in parameters.items()
        if k not in ("context", "cursor_factory", "pool", "server_side_binding")
    }
    behind_pooler = wanted.get("prepare_threshold") is None and settings.DATABASES["default"]["OPTIONS"].get(
        "unprepared"
    )
    wanted.pop("unprepared", None)
    return {
        "connect_timeout": CONNECT_TIMEOUT_SECONDS,
        **wanted,
        "prepare_threshold": None if behind_pooler else 5,
    }


class Pool:
    """A few autocommit connections, opened after any fork and shared by all threads of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ConnectionPool[_Connection] | None = None

    def _open(self) -> ConnectionPool[_Connection]:
        with self._lock:
            if self._pool is None:
                self._pool = ConnectionPool(
                    connection_class=_Connection,
                    kwargs={**_parameters(), "autocommit": True},
                    min_size=1,
                    max_size=settings.LEASEBOARD_POOL,
                    timeout=30,
                    open=True,
                    name="record",
                )
            return self._pool

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        with self._open().connection() as conn:
            yield conn

    def rows(self, name: str, params: Row) -> list[Row]:
        """Run one statement. It commits itself, so the connection needs no block of its own around it."""
        pool = self._pool or self._open()
        conn = pool.getconn()
        try:
            # A cursor can be interrupted, and signals arrive in the main thread.
            if threading.current_thread() is threading.main_thread():
                return execute(conn, name, params)
            return conn.rows(statement(name), params)
        finally:
            pool.putconn(conn)

    def close(self) -> None:
        with self._lock:
            if self._pool is not None:
                self._pool.close()
            self._pool = None

    def forget(self) -> None:
        """After a fork the parent's sockets must not be used, nor closed, by the child."""
        self._lock = threading.Lock()
        self._pool = None


pool = Pool()


def rows(name: str, /, **params: Any) -> list[Row]:
    """Run a named statement on our pool, in a transaction of its own."""
    return pool.rows(name, params)


def one(name: str, /, **params: Any) -> Row | None:
    """The first row of a named statement, or None: zero rows is an answer, its meaning is the statement's."""
    found = rows(name, **params)
    return found[0] if found else None


def within(name: str, /, **params: Any) -> list[Row]:
    """Run a named statement on Django's connection, inside whatever transaction the caller has open."""
    wrapper = connections["default"]
    wrapper.ensure_connection()
    raw: psycopg.Connection[Any] = wrapper.connection
    return execute(raw, name, params)


def fetch(
    wrapper: BaseDatabaseWrapper, text: str, params: Row
) -> tuple[list[tuple[str, int]], list[tuple[Any, ...]]]:
    """A read over one of Django's connections: the columns with their types, and the rows as they come.

    Raises TookTooLong where a statement time-out ended it: that is an answer for the page, and no partial list.
    """
    try:
        with wrapper.cursor() as cursor:
            cursor.execute(text, params)
            return [(column[0], column[1]) for column in cursor.description or ()], cursor.fetchall()
    except OperationalError as error:
        if isinstance(error.__cause__, psycopg.errors.QueryCanceled):
            raise TookTooLong from error
        raise


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Reads on Django's connection that take no longer than this each, or than the database itself allows."""
    is_within = connections["default"].in_atomic_block
    with transaction.atomic(), connections["default"].cursor() as cursor:
        cursor.execute(sql("watching/bound").decode(), {"seconds": seconds})
        before = cursor.fetchall()[0][0]
        yield
        if is_within:
            # In a transaction of the caller's the setting would outlive this block.
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [before])
