"""Run a read of runs/sql/watching over any of Django's connections, and give rows as dictionaries, redacted.

The connection is an argument because two readers share every statement: a view, over its request's
connection, and a web process's tailer, over the single one that it keeps for all of its viewers.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from runs.db import fetch
from runs.watching.payloads.redaction import redacted_columns

Row = dict[str, Any]

_JSONB = 3802
_INCLUDE = re.compile(r"\{([a-z]+)\}")

_FOLDER = Path(__file__).resolve().parent.parent / "sql" / "watching"


def rows(db: BaseDatabaseWrapper, name: str, params: dict[str, Any] | None = None, **words: str) -> list[Row]:
    """All rows of statement `name`, what people and workers wrote freely in them redacted.

    `words` are keywords of the statement such as the order, never values.
    """
    columns, found = fetch(db, statement(name, **words), params or {})
    return [
        redacted_columns(
            {column: _decoded(kind, value) for (column, kind), value in zip(columns, values, strict=True)}
        )
        for values in found
    ]


def row(db: BaseDatabaseWrapper, name: str, params: dict[str, Any] | None = None) -> Row | None:
    """The first row, or None."""
    found = rows(db, name, params)
    return found[0] if found else None


@cache
def statement(name: str, **words: str) -> str:
    """The text of a statement: `{name}` stands for a word, or for the text of _name.sql."""
    return _INCLUDE.sub(
        lambda found: words[found[1]] if found[1] in words else statement(f"_{found[1]}", **words),
        _read(name),
    )


def _read(name: str) -> str:
    text = (_FOLDER / f"{name}.sql").read_text(encoding="utf-8")
    # A comment may hold a percent sign or a placeholder's name, which the driver would take for one.
    return "\n".join(line for line in text.splitlines() if not line.startswith("--"))


def _decoded(type_code: int, value: Any) -> Any:
    """Django leaves jsonb as text. Numbers come out as Decimal: a label may be an amount of money."""
    return json.loads(value, parse_float=Decimal) if type_code == _JSONB and isinstance(value, str) else value
