-- park
-- The owner ends its drive in failed or blocked, with the reason as a sentence in the cursor and
-- the traceback in run_output.
--
-- Demands the fence. The guard takes the lease off.
--
-- Returns null, or the cursor that stands; no row if lost.
WITH moved AS (
    UPDATE run_state AS r
    SET cursor = %(onward)s::jsonb, wake_at = NULL
    WHERE r.run_id = %(run_id)s AND r.lease_owner = %(owner)s AND r.epoch = %(epoch)s
      AND r.cursor = %(expected)s::jsonb AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
    RETURNING r.run_id, r.step, r.generation, r.epoch
), kept AS (
    INSERT INTO run_output (run_id, step, item, generation, epoch, attempt, kind, raw)
    SELECT m.run_id, m.step, %(item)s, m.generation, m.epoch, %(attempt)s, 'error', %(error)s
    FROM moved AS m WHERE %(error)s::text IS NOT NULL
)
SELECT NULL::jsonb AS stopped_at FROM moved
