"""`make bench-pages`: every page and filter at 20,000 and at 2,000,000 runs, with people who look at them."""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO

from bench.server import Server, server
from bench.table import HEAD, RESULTS, Line, save
from dashboard.env import Refused

SMALL, LARGE, UNFINISHED = 20_000, 2_000_000, 2_000
P95_GOAL_MS, RATIO_GOAL = 150.0, 1.5
WORKFLOW = "examples.purchase_orders.workflow"
AUDIT = """
INSERT INTO run_audit (actor, role, via, deed, run_id, outcome, at)
SELECT 'person-' || n % 30, 'support', 'page', (ARRAY['hold', 'lift', 'nudge', 'cancel'])[1 + n % 4], 'load_1_' || 1 + n % 20000,
    CASE WHEN n % 50 = 0 THEN 'refused' ELSE 'done' END, clock_timestamp() - interval '1 minute' * n
FROM generate_series(1, %(rows)s) AS n
"""


def main() -> None:
    began = time.monotonic()
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "pages.log").open("w") as log, server() as here:
        print(*HEAD, sep="\n", flush=True)
        found = []
        for line in _lines(log):
            found.append(line)
            print(line.row(), flush=True)
        save(found, _machine(began, here), "pages", "What pages cost at size")


def _machine(began: float, here: Server) -> dict[str, str]:
    return {
        "measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC in {time.monotonic() - began:.0f} s",
        "cores": str(os.cpu_count()),
        "load at the end": f"{os.getloadavg()[0]:.1f}",
        "Python": platform.python_version(),
        "PostgreSQL": here.version,
    }


def _lines(log: IO[str]) -> Iterator[Line]:
    from bench import addresses, scans, visitors
    from bench.site import USER, site

    _publish()
    _load(SMALL, seed=1, unfinished=UNFINISHED)
    with site(log, "support", "ops", "manager") as here:
        small = visitors.visit(here, addresses.pages(SMALL))
    _load(LARGE - SMALL, seed=2, unfinished=0)
    pages = addresses.pages(LARGE)
    with site(log, "support", "ops", "manager") as here:
        large = visitors.visit(here, pages)
        memory = here.resident_mb()
    ratios = {}
    for page in pages:
        p50, p95, before, before_95 = (1000 * t.cut(page.name, n) for t in (large, small) for n in (50, 95))
        ratios[page.name] = p50 / before
        detail = f"p50 {p50:.0f} ms; at {SMALL:,} runs p50 {before:.0f} ms, p95 {before_95:.0f} ms; p50 grew {p50 / before:.2f} ×"
        yield Line(f"{page.name}, p95 at {LARGE:,} runs", p95, " ms", P95_GOAL_MS, False, detail)
    worst = max(ratios, key=lambda name: ratios[name])
    yield Line(
        f"p50 at {LARGE:,} runs by that at {SMALL:,}, the worst page",
        ratios[worst],
        " ×",
        RATIO_GOAL,
        False,
        worst,
    )
    plans = scans.scans(pages, USER)
    told = f"{plans.seen} plans of {len(pages)} pages; {'; '.join(plans.scans) or 'none reads a big table whole'}"
    yield Line("statements that go in by an index", plans.good, " %", 100.0, True, told)
    yield Line(
        "resident memory of the web process",
        memory,
        " MB",
        250.0,
        False,
        f"after {len(pages) * visitors.TIMES:,} pages",
    )


def _publish() -> None:
    """The example's catalogue, as its workers would have published it: its module is not one of this process's."""
    importlib.import_module(WORKFLOW)
    from runs import catalogue, db

    for name, body in catalogue.published().items():
        db.rows("publish", workflow=name, build="bench", body=catalogue.as_json(body))


def _load(runs: int, seed: int, unfinished: int) -> None:
    from runs import db
    from runs.loading.load import load

    for made in load(runs, seed, "purchase_order", 30, unfinished):
        sys.stderr.write(f"\r{made:,} of {runs:,} runs made")
    sys.stderr.write("\n")
    with db.connect() as conn:
        conn.execute(AUDIT, {"rows": runs // 10})
        conn.execute("VACUUM (ANALYZE)")


if __name__ == "__main__":
    try:
        main()
    except Refused as refusal:
        sys.exit(str(refusal))
