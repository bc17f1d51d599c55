-- hold
-- Ask a run to wait before its next step. On a good lease, or inside an effect, it leaves a mark
-- that the next boundary honours and demands only that the run is not finished; a run that
-- nobody moves is held at once, at the epoch and position that the person saw.
--
-- A mark that stands already is not made again: whoever asked first is told to the other.
--
-- Returns run_id, epoch and status; no row if it has moved since, or stands where it cannot be held.
UPDATE run_state AS r
SET epoch = CASE WHEN m.marks THEN r.epoch ELSE r.epoch + 1 END,
    lease_owner = CASE WHEN m.marks THEN r.lease_owner END,
    lease_expires_at = CASE WHEN m.marks THEN r.lease_expires_at END,
    wake_at = CASE WHEN m.marks THEN r.wake_at END,
    cursor = CASE WHEN m.marks THEN r.cursor ELSE r.cursor || jsonb_build_object('status', 'held', 'reason', %(reason)s::text) END,
    signals = CASE WHEN m.marks THEN r.signals || jsonb_build_object('marks', coalesce(r.signals->'marks', '{}') || jsonb_build_object('hold',
        jsonb_build_object('actor', %(actor)s::text, 'reason', %(reason)s::text, 'at', clock_timestamp()))) ELSE r.signals END
FROM (SELECT s.run_id, s.status = 'started' OR (s.lease_owner IS NOT NULL AND s.lease_expires_at > clock_timestamp()) AS marks
      FROM run_state AS s WHERE s.run_id = %(run_id)s AND s.status IN ('pending', 'started', 'waiting') FOR NO KEY UPDATE) AS m
WHERE r.run_id = m.run_id
  AND (m.marks AND r.signals #> '{marks,hold}' IS NULL
       OR NOT m.marks AND r.epoch = %(epoch)s AND run_position(r.cursor) = run_position(%(expected)s::jsonb))
  AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.run_id, r.epoch, r.status
