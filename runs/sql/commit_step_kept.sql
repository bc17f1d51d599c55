-- commit_step_kept
-- commit_step for a result that brings labels, or is too large for the row. The UPDATE drives
-- and the INSERTs take from what it returned: an INSERT beside a fenced UPDATE would write for a
-- worker that has lost the run.
--
-- Demands, writes and returns what commit_step does; outputs are rows of run_output, labels
-- replace those of the same name.
WITH moved AS (
    UPDATE run_state AS r
    SET cursor = CASE
            WHEN r.signals ? 'marks' THEN run_honour(r.signals, %(onward)s::jsonb)
            WHEN EXISTS (SELECT 1 FROM run_emergency_hold h WHERE h.lifted_at IS NULL AND h.workflow IN ('', r.workflow)
                         AND h.step IN ('', %(onward)s::jsonb->>'step') AND h.vendor IN ('', %(vendor)s))
                THEN CASE WHEN %(onward)s::jsonb->>'status' = 'started'
                          THEN %(onward)s::jsonb - '{guard,amount}'::text[] || '{"status": "pending", "attempt": 0}'
                          ELSE %(onward)s::jsonb END
            ELSE %(onward)s::jsonb END,
        completed = r.completed || %(result)s::jsonb,
        signals = CASE WHEN r.signals = '{}' THEN r.signals ELSE run_after(r.signals, %(consumed)s::text[], true) END,
        lease_owner = CASE WHEN %(ttl)s::float8 IS NOT NULL THEN r.lease_owner END,
        lease_expires_at = clock_timestamp() + %(ttl)s::float8 * interval '1 second',
        wake_at = NULL
    WHERE r.run_id = %(run_id)s AND r.lease_owner = %(owner)s AND r.epoch = %(epoch)s
      AND r.cursor = %(expected)s::jsonb AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
    RETURNING r.run_id, r.generation, r.epoch, CASE WHEN r.cursor <> %(onward)s::jsonb THEN r.cursor END AS stopped_at
), kept AS (
    INSERT INTO run_output (run_id, step, generation, epoch, attempt, kind, value, raw)
    SELECT m.run_id, o.step, m.generation, m.epoch, o.attempt, o.kind, o.value, o.raw
    FROM moved AS m, jsonb_to_recordset(%(outputs)s::jsonb) AS o(step text, attempt integer, kind text, value jsonb, raw text)
), labelled AS (
    INSERT INTO run_label (run_id, name, value, folded, currency)
    SELECT m.run_id, l.name, l.value, l.folded, l.currency
    FROM moved AS m, jsonb_to_recordset(%(labels)s::jsonb) AS l(name text, value text, folded text, currency text)
    ON CONFLICT (run_id, name) DO UPDATE SET value = EXCLUDED.value, folded = EXCLUDED.folded, currency = EXCLUDED.currency
)
SELECT stopped_at FROM moved
