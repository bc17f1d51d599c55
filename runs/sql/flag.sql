-- flag
-- A person doubts the step shown. The case is opened at once. On a good lease the run goes on to
-- its next boundary, where the mark holds it; a run that nobody moves is held here.
--
-- Demands the step shown and no flag already marked, and for a run that nobody moves its epoch and position.
-- Returns run_id, epoch, status and case_id; no row if it has moved since.
WITH seen AS (
    SELECT r.run_id, r.cursor, r.lease_owner,
           r.lease_owner IS NOT NULL AND r.lease_expires_at > clock_timestamp() AS marks
    FROM run_state AS r
    WHERE r.run_id = %(run_id)s AND r.status IN ('pending', 'started', 'waiting', 'held', 'blocked')
      AND r.step = %(expected)s::jsonb->>'step'
    FOR NO KEY UPDATE
), opened AS (
    SELECT s.run_id, s.marks, run_open_doubt(r, s.cursor, s.lease_owner, r.epoch,
           CASE WHEN NOT s.marks THEN r.epoch + 1 END, %(reason)s::text, %(actor)s::text) AS case_id
    FROM seen AS s JOIN run_state AS r USING (run_id)
    WHERE s.marks AND r.signals #> '{marks,flag}' IS NULL OR NOT s.marks AND (r.epoch = %(epoch)s AND run_position(r.cursor) = run_position(%(expected)s::jsonb))
)
UPDATE run_state AS r
SET epoch = CASE WHEN o.marks THEN r.epoch ELSE r.epoch + 1 END,
    lease_owner = CASE WHEN o.marks THEN r.lease_owner END,
    lease_expires_at = CASE WHEN o.marks THEN r.lease_expires_at END,
    wake_at = NULL,
    cursor = CASE WHEN o.marks THEN r.cursor ELSE r.cursor || jsonb_build_object('status', 'in_doubt', 'reason', %(reason)s::text, 'case', o.case_id) END,
    signals = CASE WHEN o.marks THEN r.signals || jsonb_build_object('marks', coalesce(r.signals->'marks', '{}') || jsonb_build_object('flag',
        jsonb_build_object('actor', %(actor)s::text, 'reason', %(reason)s::text, 'case', o.case_id, 'at', clock_timestamp()))) ELSE r.signals END
FROM opened AS o WHERE r.run_id = o.run_id AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.run_id, r.epoch, r.status, o.case_id
