-- not_sent
-- The owner of a call in doubt came back and knows that its one attempt never reached the vendor:
-- close the case and make the step pending again.
--
-- Demands what land_late demands, and that no other unknown call has joined the case.
-- Returns the run_id; no row if somebody was first.
WITH moved AS (
    UPDATE run_state AS r
    SET cursor = run_honour(r.signals, %(onward)s::jsonb),
        signals = CASE WHEN r.signals ? 'marks' THEN r.signals - 'marks' ELSE r.signals END
    FROM run_doubt AS d
    WHERE r.run_id = %(run_id)s AND r.status = 'in_doubt' AND r.epoch = d.held_epoch
      AND d.run_id = r.run_id AND d.closed_at IS NULL AND d.opened_by = '' AND d.attempts = 1
      AND d.owner = %(owner)s AND d.epoch = %(epoch)s AND d.start_cursor = %(expected)s::jsonb
      AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
    RETURNING r.run_id, d.id AS case_id
), settled AS (
    UPDATE run_doubt AS d
    SET closed_at = clock_timestamp(), outcome = 'not_sent', decision = NULL, version = d.version + 1
    FROM moved AS m WHERE d.id = m.case_id
)
SELECT run_id FROM moved
