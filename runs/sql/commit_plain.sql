-- commit_plain
-- commit_step for a worker that knows only run, owner, epoch and step: it cannot say which cursor
-- it left behind, so the step stands for it.
--
-- Returns the cursor that stands; no row if this worker has lost the run.
UPDATE run_state AS r
SET cursor = run_honour(r.signals, %(onward)s::jsonb),
    signals = CASE WHEN r.signals = '{}' THEN r.signals ELSE run_after(r.signals, '{}', true) END,
    completed = r.completed || %(result)s::jsonb,
    lease_expires_at = clock_timestamp() + %(ttl)s::float8 * interval '1 second'
WHERE r.run_id = %(run_id)s AND r.lease_owner = %(owner)s AND r.epoch = %(epoch)s
  AND r.step = %(step)s AND r.status IN ('pending', 'started')
  AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.cursor
