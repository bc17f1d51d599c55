-- end_drain
-- A person ends a drain: bound processes that had no SIGTERM claim again.
UPDATE run_drain SET ended_at = clock_timestamp(), ended_by = %(actor)s, ended_xid = pg_current_xact_id()
WHERE id = %(drain_id)s AND ended_at IS NULL
RETURNING id
