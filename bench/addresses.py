"""Every page and filter as people open it: many addresses of each, so that no page is read twice in a row."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any
from urllib.parse import urlencode

from dashboard import paging
from runs import db
from runs.queries import OPEN, STATES, Key, run_query

DEEP = 400 * 50
FILTERS = (
    "step:charge", "vendor:Cardline", "worker:load-1*", "build:load", "stuck:>1h", "due:<5m", "changed:<1h",
    "order:PO-2026-00*", "buyer:zając*", "state:done supplier:rhein*", "state:failed_seen order:PO-20*",
    "state:slow,queued step:charge",
)  # fmt: skip
SAMPLE = """
SELECT run_id, order_ref FROM run_state TABLESAMPLE BERNOULLI (least(100, 100.0 * 200 / %(runs)s)) ORDER BY run_id LIMIT 200
"""
NEWEST = "SELECT run_id, order_ref FROM run_state ORDER BY created_at DESC LIMIT 60"
AT = """
SELECT created_at::text AS at, run_id FROM run_state WHERE %(status)s::text IS NULL OR status = %(status)s
ORDER BY created_at DESC, run_id DESC OFFSET %(deep)s LIMIT 1
"""


@dataclass(frozen=True)
class Page:
    """A page of the dashboard; of a download only its first bytes are waited for."""

    name: str
    addresses: list[str]
    is_download: bool = False

    def opened(self, times: int) -> list[str]:
        return list(islice(cycle(self.addresses), times))


def pages(runs: int) -> list[Page]:
    """The pages of a database of so many runs."""
    with db.connect() as conn:
        found = conn.execute(SAMPLE, {"runs": runs}).fetchall() + conn.execute(NEWEST).fetchall()
        deep = {
            status: conn.execute(AT, {"status": status, "deep": min(DEEP, runs * 4 // 5)}).fetchall()[0]
            for status in (None, "done")
        }
    return [
        Page("orders, as they open", ["/orders/"]),
        *(Page(f"orders, state {state}", [_orders(state=state)]) for state in STATES),
        *(
            Page(f"orders, {status or 'all'}, page 400", [_orders(state=status or "all", after=_key(at))])
            for status, at in deep.items()
        ),
        *_searches(found),
        *(Page(f"filter {text}", [_orders(f=text)]) for text in FILTERS),
        *_runs(found),
        Page("audit", ["/audit/"]),
        Page("audit, one person", ["/audit/?who=person-7"]),
        Page("audit, refused", ["/audit/?outcome=refused"]),
        Page("export of all, first bytes", [_export("csv"), _export("json")], is_download=True),
    ]


def _searches(found: list[dict[str, Any]]) -> list[Page]:
    refs = [row["order_ref"] for row in found]
    return [
        Page("search, order number", [_orders(q=ref) for ref in refs]),
        Page("search, beginning of an order number", [_orders(q=ref[:10]) for ref in refs]),
        Page("search, middle of an order number", [_orders(q=ref[4:9]) for ref in refs]),
        Page("search, last four", [_orders(q=ref[-4:]) for ref in refs]),
        Page("search, buyer's own reference", [_orders(q=f"B-{n * 7919}") for n in range(1, 100)]),
        Page(
            "search, beginning of a buyer", [_orders(q=text) for text in ("mül", "zając", "Coëlho", "nord")]
        ),
        Page("search, supplier", [_orders(q=text) for text in ("Alpenstahl", "rhein rohre")]),
        Page("search, worker", [_orders(q=f"load-{n}") for n in range(40)]),
        Page("search, nothing found", [_orders(q=f"nobody {n}") for n in range(40)]),
    ]


def _runs(found: list[dict[str, Any]]) -> list[Page]:
    asked = [run_query(row["run_id"]) for row in found]
    return [
        Page("run", [f"/run/{query}" for query in asked]),
        Page("run, its log", [f"/run/log/{query}" for query in asked]),
        Page("run, input and results", [f"/run/payloads/{query}" for query in asked]),
        Page("run, polled", [f"/run/now/{query}" for query in asked]),
    ]


def _orders(**asked: str) -> str:
    return f"/orders/?{urlencode(asked)}"


def _export(form: str) -> str:
    return "/orders/export/?" + urlencode({"state": "all" if form == "csv" else OPEN, "form": form})


def _key(at: dict[str, Any]) -> str:
    return paging.printed(Key(at["at"], at["at"], at["run_id"]))
