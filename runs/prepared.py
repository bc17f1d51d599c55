"""Statements sent by libpq's own blocking call, for the threads that drive runs.

A cursor of psycopg sends, polls and decodes step by step, and each step needs the interpreter's lock: beside
eight threads that weighs more than a commit's work on the server. One call into libpq gives the lock up once.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from typing import Any, cast

import psycopg
from psycopg import errors
from psycopg.abc import Transformer
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus
from psycopg.pq.abc import PGconn, PGresult

NAMED = re.compile(r"%\((\w+)\)s")
ANSWERS = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


class Statement:
    """One named statement with its parameters numbered; every value travels as text, its type inferred."""

    def __init__(self, name: str, text: str) -> None:
        self._names: list[str] = []
        self._name = name.encode()
        self.text = NAMED.sub(self._numbered, text).replace("%%", "%").encode()
        self._columns: list[str] = []

    def _numbered(self, found: re.Match[str]) -> str:
        if found[1] not in self._names:
            self._names.append(found[1])
        return f"${self._names.index(found[1]) + 1}"

    def run(
        self, pgconn: PGconn, loaders: Transformer, known: set[bytes] | None, params: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Rows of one execution. ``known`` are the statements that this connection has prepared, None where a
        pooler stands between and nothing can be prepared. Raises as psycopg's cursor does."""
        # The stubs leave out that a null is None here.
        values = cast(list[bytes], [_text(params[name]) for name in self._names])
        if known is None:
            return self._rows(_checked(pgconn, pgconn.exec_params(self.text, values)), loaders)
        if self._name in known:
            # A cursor that used this connection between drops all prepared statements after a rollback or DDL.
            with suppress(errors.InvalidSqlStatementName):
                return self._rows(_checked(pgconn, pgconn.exec_prepared(self._name, values)), loaders)
        _checked(pgconn, pgconn.prepare(self._name, self.text))
        known.add(self._name)
        return self._rows(_checked(pgconn, pgconn.exec_prepared(self._name, values)), loaders)

    def _rows(self, result: PGresult, loaders: Transformer) -> list[dict[str, Any]]:
        if not result.ntuples:
            return []
        if not self._columns:
            self._columns = [(result.fname(n) or b"").decode() for n in range(result.nfields)]
        loaders.set_pgresult(result)
        rows: list[dict[str, Any]] = loaders.load_rows(0, result.ntuples, self._row)
        return rows

    def _row(self, values: Any) -> dict[str, Any]:
        return dict(zip(self._columns, values, strict=True))


def _checked(pgconn: PGconn, result: PGresult) -> PGresult:
    """An error without SQLSTATE is none of the server's: the connection is lost, whatever state libpq thinks
    that it is in. A server that stops at once leaves it in a good one until the next use."""
    if result.status in ANSWERS:
        return result
    if pgconn.status != ConnStatus.OK or result.error_field(DiagnosticField.SQLSTATE) is None:
        raise psycopg.OperationalError(pgconn.get_error_message() or "the connection is lost")
    raise errors.error_from_result(result)


def _text(value: Any) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        data = value.encode()
        # libpq would end the text there and say nothing.
        if b"\x00" in data:
            raise psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
        return data
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, int | float):
        return repr(value).encode()
    if isinstance(value, datetime):
        return value.isoformat().encode()
    if isinstance(value, list):
        return b"{%s}" % b",".join(_element(element) for element in value)
    raise TypeError(f"A parameter of type {type(value).__name__} has no text form here.")


def _element(value: Any) -> bytes:
    data = _text(value)
    if data is None:
        return b"NULL"
    return b'"%s"' % data.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
