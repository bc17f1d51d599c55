"""Heartbeats: how many stay on their page and out of every index (HOT), and what each writes to the WAL."""

from __future__ import annotations

import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import psycopg

from bench.nine_steps import INPUT, NAME
from runs import db

RUNS_EACH = 50
BEATS = 20
# Twenty times the pace of a real worker, which beats every ten seconds. A beat that follows at once on another's
# finds the old versions of its rows still in sight of a statement that is under way somewhere, and no room is made.
PACE_SECONDS = 0.5
TTL = 30.0
SEED = """
INSERT INTO run_state (run_id, workflow, cursor, input, completed, epoch, lease_owner, lease_expires_at)
SELECT %(owner)s || '-' || n, %(workflow)s,
    '{"step": "step_4", "status": "started", "attempt": 1, "item": null, "guard": "pure"}',
    %(input)s, '{"step_1": {"score": 712}, "step_2": {"score": 713}, "step_3": {"score": 714}}', 1, %(owner)s,
    now() + interval '30 seconds'
FROM generate_series(1, %(runs)s) AS n RETURNING run_id
"""


@dataclass(frozen=True)
class Beats:
    """Renewed leases, the share of them that was HOT, WAL bytes each without page images, and the images apart."""

    renewed: int
    hot: float
    wal_bytes: float
    images: int
    image_bytes: int


def measure(workers: int) -> Beats:
    """So many workers, each a connection that renews all its runs in one statement, twice a second."""
    with ExitStack() as opened:
        conns = [opened.enter_context(db.connect()) for _ in range(workers)]
        owners = [_seed(conn, workers, number) for number, conn in enumerate(conns)]
        before = _updates(conns[0])
        pool = opened.enter_context(ThreadPoolExecutor(workers))
        told = [beat for beats in pool.map(_beats, conns, owners) for beat in beats]
        after = _settled(conns, before[0] + sum(beat["rows"] for beat in told))
    renewed = sum(beat["rows"] for beat in told)
    plain = [beat for beat in told if not beat["images"]]
    imaged = [beat for beat in told if beat["images"]]
    each = sum(beat["bytes"] for beat in plain) / sum(beat["rows"] for beat in plain)
    return Beats(
        renewed=renewed,
        hot=(after[1] - before[1]) / (after[0] - before[0]),
        wal_bytes=each,
        images=sum(beat["images"] for beat in imaged),
        image_bytes=round(sum(beat["bytes"] - each * beat["rows"] for beat in imaged)),
    )


def _seed(conn: psycopg.Connection[Any], workers: int, number: int) -> dict[str, Any]:
    owner = f"beat-{workers}-{number}#000000"
    params = {"owner": owner, "workflow": NAME, "input": json.dumps(INPUT), "runs": RUNS_EACH}
    names = [row["run_id"] for row in conn.execute(SEED, params).fetchall()]
    return {"owner": owner, "run_ids": names, "epochs": [1] * len(names), "ttl": TTL}


def _beats(conn: psycopg.Connection[Any], params: dict[str, Any]) -> list[dict[str, int]]:
    text = b"EXPLAIN (ANALYZE, WAL, TIMING OFF, FORMAT JSON) " + db.sql("heartbeat")
    told = []
    due = time.monotonic() + random.uniform(0, PACE_SECONDS)
    for _ in range(BEATS):
        time.sleep(max(0.0, due - time.monotonic()))
        due += PACE_SECONDS
        plan = conn.execute(text, params).fetchall()[0]["QUERY PLAN"][0]["Plan"]
        told.append(
            {
                "rows": int(plan["Actual Rows"]),
                "bytes": plan.get("WAL Bytes", 0),
                "images": plan.get("WAL FPI", 0),
            }
        )
    return told


def _updates(conn: psycopg.Connection[Any]) -> tuple[int, int]:
    found = conn.execute(
        "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'run_state'"
    ).fetchall()[0]
    return found["n_tup_upd"], found["n_tup_hot_upd"]


def _settled(conns: list[psycopg.Connection[Any]], expected: int) -> tuple[int, int]:
    """The statistics once every connection has reported its own: a backend does so when it is asked and idle."""
    deadline = time.monotonic() + 20
    while True:
        for conn in conns:
            conn.execute("SELECT pg_stat_force_next_flush()")
        found = _updates(conns[0])
        if found[0] >= expected or time.monotonic() > deadline:
            return found
        time.sleep(0.2)
