-- heartbeat
-- Renew every lease of a process in one statement.
--
-- Demands owner and epoch, lapsed or not: until somebody else claims, the run is still ours. Rows
-- that another session has locked are skipped, not waited for; whose tells lost from locked.
-- Touches nothing but the expiry, so the new row version stays on its page and out of every
-- index (HOT).
--
-- Returns the runs that were renewed.
WITH mine AS (
    SELECT m.run_id, m.epoch FROM unnest(%(run_ids)s::text[], %(epochs)s::bigint[]) AS m(run_id, epoch)
), free AS (
    SELECT r.run_id FROM run_state AS r JOIN mine USING (run_id)
    WHERE r.lease_owner = %(owner)s AND r.epoch = mine.epoch
    FOR NO KEY UPDATE OF r SKIP LOCKED
)
UPDATE run_state AS r SET lease_expires_at = clock_timestamp() + %(ttl)s::float8 * interval '1 second'
FROM free WHERE r.run_id = free.run_id
RETURNING r.run_id
