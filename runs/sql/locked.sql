-- locked
-- Where a run stands, and nobody moves it until this transaction ends: what a person's verb finds
-- is what the audit then writes as before. Waits for the row no longer than the transaction's lock
-- time-out. No row: no such run.
SELECT run_id, order_ref, step, status, epoch, lease_owner, lease_expires_at, generation, cursor, updated_at, signals->'marks' AS marks
FROM run_state WHERE run_id = %(run_id)s
FOR NO KEY UPDATE
