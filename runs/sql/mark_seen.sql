-- mark_seen
-- A person has seen that a run failed: it leaves the list of what needs attention until it fails
-- again, which is at a later epoch. The run itself stays where it is; seen_epoch on its row is for lists alone.
--
-- Demands a failed run at the epoch and position seen, whose failure nobody has marked yet. The log
-- gets a row that changes nothing, so that open pages and the next reader are told.
--
-- Returns run_id and epoch; no row if it has moved since or was marked before.
WITH failed AS (
    SELECT r.run_id, r.epoch, r.generation, r.cursor, r.lease_owner FROM run_state AS r
    WHERE r.run_id = %(run_id)s AND r.epoch = %(epoch)s AND run_position(r.cursor) = run_position(%(expected)s::jsonb)
      AND r.status = 'failed'
    FOR NO KEY UPDATE
), seen AS (
    INSERT INTO run_seen AS s (run_id, epoch, seen_by) SELECT f.run_id, f.epoch, %(actor)s FROM failed AS f
    ON CONFLICT (run_id) DO UPDATE SET epoch = EXCLUDED.epoch, seen_by = EXCLUDED.seen_by, seen_at = clock_timestamp()
    WHERE s.epoch < EXCLUDED.epoch
    RETURNING s.run_id, s.epoch
), noted AS (
    UPDATE run_state AS r SET seen_epoch = s.epoch FROM seen AS s WHERE r.run_id = s.run_id
), told AS (
    INSERT INTO run_transition (run_id, kind, epoch, generation, cursor_before, cursor_after, owner_before, owner_after, build, actor, reason)
    SELECT f.run_id, 'seen', f.epoch, f.generation, f.cursor, f.cursor, f.lease_owner, f.lease_owner,
           nullif(%(build)s, ''), %(actor)s, nullif(%(reason)s, '')
    FROM failed AS f JOIN seen USING (run_id)
)
SELECT run_id, epoch FROM seen
