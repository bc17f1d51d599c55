"""Which statements of which page read a big table from end to end: the plans of everything a page asks, at size."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from bench.addresses import Page
from runs.queries import Orders, Position, Wanted, held_back, moved_since, position

BIG = ("run_state", "run_transition", "run_label", "run_output", "run_item", "run_audit")
SMALL = 1000


@dataclass
class Plans:
    """How many plans were looked at, and a sentence for each that reads a big table whole."""

    seen: int = 0
    scans: list[str] = field(default_factory=list)

    @property
    def good(self) -> float:
        return 100 * (1 - len(self.scans) / max(1, self.seen))


def scans(pages: list[Page], viewer: str) -> Plans:
    """Open each page once in this process, and the reads of downloads and streams by themselves."""
    found, client = Plans(), Client(SERVER_NAME="127.0.0.1")
    client.force_login(User.objects.get(username=viewer))
    for page in pages:
        if not page.is_download:
            with explained(page.name, found):
                client.get(page.addresses[0])
    with explained("export", found):
        Orders(connection).page(Wanted(), limit=500)
    with explained("stream", found):
        here, _ = position(connection)
        moved_since(connection, Position(here.incarnation, max(0, here.xid - 50), 0))
        held_back(connection, here.incarnation)
    return found


@contextmanager
def explained(page: str, found: Plans) -> Iterator[None]:
    """Every SELECT of this thread's connection is planned once more, and its plan looked at."""

    def look(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        answer = execute(sql, params, many, context)
        if sql.lstrip().upper().startswith(("SELECT", "WITH")) and any(table in sql for table in BIG):
            found.seen += 1
            found.scans += [
                f"{page}: all of {name} in {' '.join(sql.split())[:120]}" for name in _whole(sql, params)
            ]
        return answer

    with connection.execute_wrapper(look):
        yield


def _whole(sql: str, params: Any) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
        answer = cursor.fetchone()[0]
        plan = json.loads(answer) if isinstance(answer, str) else answer
        scanned = [
            node["Relation Name"] for node in _nodes(plan[0]["Plan"]) if node["Node Type"] == "Seq Scan"
        ]
        # Months to come and the default partition are empty: reading them whole costs nothing.
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relname = ANY (%s) AND reltuples > %s", [scanned, SMALL]
        )
        return [name for (name,) in cursor.fetchall() if name.startswith(BIG)]


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from _nodes(part)
