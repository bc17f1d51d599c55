-- retry_later
-- Give the run back until later: pending where the attempt is known not to have reached the
-- vendor, still started where its outcome is unknown and its guard will settle it.
--
-- Demands the fence. onward is the cursor to leave behind, wait_seconds from now the earliest
-- next attempt, raise_generation 1 where the vendor judged the request and a new one is meant.
-- error, if any, is kept with its traceback.
--
-- Returns null, or the cursor that stands where a mark was honoured instead; no row if lost.
WITH moved AS (
    UPDATE run_state AS r
    SET cursor = CASE WHEN r.signals ? 'marks' AND %(onward)s::jsonb->>'status' = 'pending'
                      THEN run_honour(r.signals, %(onward)s::jsonb) ELSE %(onward)s::jsonb END,
        signals = CASE WHEN r.signals ? 'marks' AND %(onward)s::jsonb->>'status' = 'pending' THEN r.signals - 'marks' ELSE r.signals END,
        wake_at = clock_timestamp() + %(wait_seconds)s::float8 * interval '1 second',
        generation = r.generation + %(raise_generation)s::integer,
        lease_owner = NULL,
        lease_expires_at = NULL
    WHERE r.run_id = %(run_id)s AND r.lease_owner = %(owner)s AND r.epoch = %(epoch)s
      AND r.cursor = %(expected)s::jsonb AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
    RETURNING r.run_id, r.step, r.generation, r.epoch, CASE WHEN r.cursor <> %(onward)s::jsonb THEN r.cursor END AS stopped_at
), kept AS (
    INSERT INTO run_output (run_id, step, item, generation, epoch, attempt, kind, raw)
    SELECT m.run_id, m.step, %(item)s, m.generation, m.epoch, %(attempt)s, 'error', %(error)s
    FROM moved AS m WHERE %(error)s::text IS NOT NULL
)
SELECT stopped_at FROM moved
