"""The plain protocol to compare with: the smallest table that holds position and lease, and one fenced UPDATE."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.types.json import Jsonb

TABLE = """
CREATE TABLE IF NOT EXISTS bare_run (
    run_id            text PRIMARY KEY,
    epoch             bigint NOT NULL DEFAULT 0,
    cursor            jsonb  NOT NULL,
    completed         jsonb  NOT NULL DEFAULT '{}',
    input             jsonb  NOT NULL,
    lease_owner       text,
    lease_expires_at  timestamptz,
    updated_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS bare_run_lease ON bare_run (lease_expires_at) WHERE cursor->>'status' <> 'done';
"""

COMMIT = """
UPDATE bare_run
SET cursor = %s,
    completed = completed || %s,
    lease_expires_at = now() + interval '30 seconds',
    updated_at = now()
WHERE run_id = %s AND lease_owner = %s AND epoch = %s
"""


def commit_step(
    conn: psycopg.Connection[Any],
    run_id: str,
    worker: str,
    epoch: int,
    step: str,
    result: Any,
    next_cursor: dict[str, Any],
) -> None:
    """One statement on an autocommit connection, which is this protocol at its fastest."""
    params = (Jsonb(next_cursor), Jsonb({step: result}), run_id, worker, epoch)
    if conn.execute(COMMIT, params).rowcount != 1:
        raise RuntimeError(f"The bare commit of {run_id} matched no row.")
