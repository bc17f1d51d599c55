-- nudge
-- Make a run due now: a retry or timer that lies ahead is brought forward, and the sweep or the
-- caller sends it to the queue. Leases and positions stay as they are.
--
-- Demands the epoch and the position that the person saw, and that nobody has nudged it after
-- seen_at, which may be null: a second push of the same button is told, not written.
--
-- Returns run_id and status; no row for a finished run or one that a person must move.
UPDATE run_state AS r
SET wake_at = CASE WHEN r.wake_at > clock_timestamp() AND r.cursor->>'guard' IS DISTINCT FROM 'probed' THEN clock_timestamp() ELSE r.wake_at END,
    signals = r.signals || jsonb_build_object('nudged', clock_timestamp())
WHERE r.run_id = %(run_id)s AND r.epoch = %(epoch)s AND run_position(r.cursor) = run_position(%(expected)s::jsonb)
  AND r.status IN ('pending', 'started', 'waiting')
  AND (%(seen_at)s::timestamptz IS NULL OR coalesce((r.signals->>'nudged')::timestamptz, '-infinity') <= %(seen_at)s::timestamptz)
  AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.run_id, r.status
