-- standing
-- Where a run stands now, for the sentence that says why a verb was refused. No row: no such run.
SELECT run_id, order_ref, step, status, epoch, lease_owner, lease_expires_at, generation, cursor, updated_at, signals->'marks' AS marks
FROM run_state WHERE run_id = %(run_id)s
