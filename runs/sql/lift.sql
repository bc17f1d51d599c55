-- lift
-- Withdraw a hold: a held run becomes pending, a hold that is only marked is taken back.
--
-- Demands the epoch and the position that the person saw.
-- Returns run_id, epoch and status; no row if it has moved since or nothing holds it.
UPDATE run_state AS r
SET epoch = CASE WHEN r.status = 'held' THEN r.epoch + 1 ELSE r.epoch END,
    cursor = CASE WHEN r.status = 'held' THEN (r.cursor - 'reason') || '{"status": "pending"}' ELSE r.cursor END,
    signals = CASE WHEN r.signals #> '{marks,hold}' IS NULL THEN r.signals
                   WHEN (r.signals->'marks') - 'hold' = '{}' THEN r.signals - 'marks'
                   ELSE r.signals #- '{marks,hold}' END
WHERE r.run_id = %(run_id)s AND r.epoch = %(epoch)s AND run_position(r.cursor) = run_position(%(expected)s::jsonb)
  AND (r.status = 'held' OR r.signals #> '{marks,hold}' IS NOT NULL)
  AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.run_id, r.epoch, r.status
