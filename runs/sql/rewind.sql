-- rewind
-- Put a run back to an earlier step as if it had just come there: later results leave completed
-- (each is kept in run_output by the trigger), the generation rises so that effects get new keys,
-- and what was signalled but not consumed is dropped and asked again.
--
-- Demands a run that nobody holds, at the epoch and position seen. dropped are the first names of
-- the steps from the new one on. A started effect is resolved, not rewound.
--
-- Returns run_id and epoch; no row if it has moved since.
UPDATE run_state AS r
SET epoch = r.epoch + 1,
    generation = r.generation + 1,
    entered_generation = r.generation + 1,
    cursor = %(onward)s::jsonb,
    completed = r.completed - %(dropped)s::text[],
    signals = r.signals - 'told',
    lapses = '{}', wake_at = NULL, lease_owner = NULL, lease_expires_at = NULL
WHERE r.run_id = %(run_id)s AND r.epoch = %(epoch)s AND run_position(r.cursor) = run_position(%(expected)s::jsonb)
  AND r.status IN ('pending', 'waiting', 'held', 'blocked', 'failed')
  AND (r.lease_owner IS NULL OR r.lease_expires_at < clock_timestamp())
  AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.run_id, r.epoch
