-- retry_failed
-- Give a failed or blocked run another round of attempts at the step where it stands.
--
-- Demands the epoch and position seen. Lapses are forgotten: a person has looked.
-- Returns run_id and epoch; no row if it has moved since.
UPDATE run_state AS r
SET epoch = r.epoch + 1, lapses = '{}', wake_at = NULL,
    cursor = (r.cursor - '{reason,guard,amount}'::text[]) || '{"status": "pending", "attempt": 0}'
WHERE r.run_id = %(run_id)s AND r.epoch = %(epoch)s AND run_position(r.cursor) = run_position(%(expected)s::jsonb)
  AND r.status IN ('failed', 'blocked') AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.run_id, r.epoch
