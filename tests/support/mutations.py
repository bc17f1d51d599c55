"""Taking a guard away: a named statement, a function of the database or one of Python, edited for the time of a test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from runs import db
from tests.support.factories import ask

# A proof that ends in one of these has met the mutation's own mistake and not the missing guard.
ACCIDENTS = (psycopg.ProgrammingError, TypeError, AttributeError, NameError)


@contextmanager
def fails() -> Iterator[None]:
    """The proof inside has to fail, and by what it saw: an assertion, a refusal that did not come, a lock waited for."""
    try:
        yield
    except (Exception, pytest.fail.Exception) as failure:
        if isinstance(failure, ACCIDENTS):
            raise
    else:
        pytest.fail("The proof passes without the guard that it proves.")


@dataclass(frozen=True)
class Statement:
    """runs/sql/<name>.sql with a pattern replaced."""

    name: str
    pattern: str
    instead: str = "true"

    @contextmanager
    def applied(self, patch: pytest.MonkeyPatch) -> Iterator[None]:
        real = db.sql
        text, found = re.subn(self.pattern, self.instead, real(self.name).decode())
        assert found, f"{self.name} holds nothing like {self.pattern}"
        db.pool.close()
        db.statement.cache_clear()
        patch.setattr(db, "sql", lambda name: text.encode() if name == self.name else real(name))
        try:
            yield
        finally:
            patch.undo()
            db.statement.cache_clear()
            # Its connections know the edited statement by the name of the true one.
            db.pool.close()


@dataclass(frozen=True)
class Function:
    """A function of the schema with a pattern replaced; the true one comes back at the end."""

    name: str
    pattern: str
    instead: str = "true"

    @contextmanager
    def applied(self, patch: pytest.MonkeyPatch) -> Iterator[None]:
        true = self._definition()
        text, found = re.subn(self.pattern, self.instead, true)
        assert found, f"{self.name} holds nothing like {self.pattern}"
        define(text)
        try:
            yield
        finally:
            define(true)

    def _definition(self) -> str:
        parts = "\n".join(part.read_text() for part in sorted((db.SQL / "schema").glob("*.sql")))
        found = re.search(rf"CREATE FUNCTION {self.name}\(.*?AS \$\$.*?\$\$[^\n]*;", parts, re.DOTALL)
        assert found, self.name
        return found[0].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1)


@dataclass(frozen=True)
class Asleep:
    """A trigger that does not fire."""

    table: str
    name: str

    @contextmanager
    def applied(self, patch: pytest.MonkeyPatch) -> Iterator[None]:
        define(f"ALTER TABLE {self.table} DISABLE TRIGGER {self.name}")
        try:
            yield
        finally:
            define(f"ALTER TABLE {self.table} ENABLE TRIGGER {self.name}")


@dataclass(frozen=True)
class Python:
    """An attribute of our code with something else in its place."""

    owner: Any
    name: str
    instead: Any

    @contextmanager
    def applied(self, patch: pytest.MonkeyPatch) -> Iterator[None]:
        with patch.context() as own:
            own.setattr(self.owner, self.name, self.instead)
            yield


def define(text: str) -> None:
    """A percent sign in DDL is no parameter."""
    ask(text.replace("%", "%%"))
