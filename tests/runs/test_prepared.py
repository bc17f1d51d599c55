"""Statements sent by one call into libpq: the same answers and the same errors as a cursor's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from runs import db
from runs.prepared import Statement
from tests.support.factories import seed


@pytest.fixture
def conn() -> Iterator[Any]:
    with db.connect() as conn:
        yield conn


def sent(conn: Any, text: str, /, **params: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = conn.rows(Statement("test", text), params)
    return found


@pytest.mark.parametrize(
    ("cast", "value"),
    [
        ("text", 'a "quoted" \\ word, {curly} and ünlike'),
        ("text", ""),
        ("text", None),
        ("bigint", 2**62),
        ("float8", 0.1),
        ("float8", float("inf")),
        ("boolean", True),
        ("boolean", False),
        ("text[]", []),
        ("text[]", ['a"b', "c\\d", "e,f", "", "NULL", None, "{}"]),
        ("bigint[]", [1, 2**40]),
        ("timestamptz", datetime(2026, 2, 28, 23, 59, 59, 999999, tzinfo=UTC)),
        ("jsonb", None),
    ],
)
def test_a_value_comes_back_as_it_went(conn: Any, cast: str, value: Any) -> None:
    assert sent(conn, f"SELECT %(value)s::{cast} AS value", value=value) == [{"value": value}]


def test_json_is_read_and_an_infinite_time_is_none(conn: Any) -> None:
    found = sent(
        conn, "SELECT '{\"a\": [1.5]}'::jsonb AS body, 'infinity'::timestamptz AS at, '10%%' AS share"
    )
    assert found == [{"body": {"a": [1.5]}, "at": None, "share": "10%"}]


def test_nul_is_refused_and_not_cut_off(conn: Any) -> None:
    with pytest.raises(psycopg.DataError, match="NUL"):
        sent(conn, "SELECT %(value)s::text", value="paid\x00twice")


def test_a_type_that_it_does_not_know_is_refused(conn: Any) -> None:
    with pytest.raises(TypeError, match="set"):
        sent(conn, "SELECT %(value)s::text", value={1})


def test_errors_keep_their_class(conn: Any) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        sent(conn, "SELECT 1 / %(value)s::integer", value=0)


def test_a_connection_that_is_cut_is_an_operational_error(conn: Any) -> None:
    sent(conn, "SELECT 1 AS one")
    with db.connect() as other:
        other.execute("SELECT pg_terminate_backend(%s)", [conn.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        sent(conn, "SELECT 1 AS one")
    with pytest.raises(psycopg.OperationalError):
        sent(conn, "SELECT 1 AS one")


def test_a_statement_that_the_connection_has_forgotten_is_prepared_again(conn: Any) -> None:
    text = "SELECT %(value)s::text AS value"
    assert sent(conn, text, value="a") == [{"value": "a"}]
    conn.execute("DEALLOCATE ALL")
    assert sent(conn, text, value="b") == [{"value": "b"}]


def test_behind_a_pooler_nothing_is_prepared(conn: Any) -> None:
    conn.prepare_threshold = None
    assert sent(conn, "SELECT %(value)s::text AS value", value="a") == [{"value": "a"}]
    assert conn.execute("SELECT * FROM pg_prepared_statements").fetchall() == []


@pytest.mark.parametrize("name", sorted(path.stem for path in db.SQL.glob("*.sql")))
def test_the_server_infers_every_parameter_of_every_statement(conn: Any, name: str) -> None:
    statement = db.statement(name)
    result = conn.pgconn.prepare(b"", statement.text)
    assert result.error_message == b""


def test_a_thread_and_the_main_thread_get_the_same_rows() -> None:
    run_id = seed()
    found: list[Any] = []
    ask: Callable[[], None] = lambda: found.append(db.rows("lease_of", run_id=run_id))  # noqa: E731
    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    ask()
    assert found[0] == found[1] != []
