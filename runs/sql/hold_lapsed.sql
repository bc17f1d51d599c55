-- hold_lapsed
-- A worker let its lease lapse inside an effect that nothing can settle: hold the run in doubt
-- and open or join the case. The epoch is kept, so that the same owner may still land its result.
--
-- Demands a started, unprotected effect whose lease has lapsed or is absent, at the epoch that
-- the caller saw; a locked row is somebody's move and is left for the next sweep.
--
-- Returns run_id and case_id; no row if there is nothing to hold any more.
WITH seen AS (
    SELECT r.run_id, r.cursor, r.lease_owner FROM run_state AS r
    WHERE r.run_id = %(run_id)s AND r.epoch = %(epoch)s AND r.workflow <> ''
      AND run_unprotected(r.status, r.workflow, r.cursor)
      AND (r.lease_owner IS NULL OR r.lease_expires_at IS NULL OR r.lease_expires_at < clock_timestamp())
    FOR NO KEY UPDATE SKIP LOCKED
), moved AS (
    UPDATE run_state AS r
    SET cursor = r.cursor || jsonb_build_object('status', 'in_doubt', 'reason', %(reason)s::text), wake_at = NULL
    FROM seen AS s WHERE r.run_id = s.run_id AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
    RETURNING r, s.cursor AS start_cursor, s.lease_owner AS call_owner
)
SELECT (m.r).run_id,
       run_open_doubt(m.r, m.start_cursor, m.call_owner, (m.r).epoch, (m.r).epoch, %(reason)s, '') AS case_id
FROM moved AS m
