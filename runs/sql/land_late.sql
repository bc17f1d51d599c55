-- land_late
-- The owner of a call in doubt came back with its result before anybody's decision took effect:
-- commit it, close the case, and let the run go on with nobody holding it.
--
-- Demands an open case that names this owner, epoch and start cursor, not opened by a person, and
-- the row still held by it at the epoch that the case notes. The run is locked before the case,
-- here and wherever a case moves a run: the row decides who was first. A decision that has not
-- taken effect is voided.
--
-- outputs and labels are written as commit_step_kept does.
-- Returns the run_id; no row if somebody was first.
WITH moved AS (
    UPDATE run_state AS r
    SET cursor = run_honour(r.signals, %(onward)s::jsonb),
        signals = CASE WHEN r.signals = '{}' THEN r.signals ELSE run_after(r.signals, %(consumed)s::text[], true) END,
        completed = r.completed || %(result)s::jsonb
    FROM run_doubt AS d
    WHERE r.run_id = %(run_id)s AND r.status = 'in_doubt' AND r.epoch = d.held_epoch
      AND d.run_id = r.run_id AND d.closed_at IS NULL AND d.opened_by = ''
      AND d.owner = %(owner)s AND d.epoch = %(epoch)s AND d.start_cursor = %(expected)s::jsonb
      AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
    RETURNING r.run_id, r.generation, d.epoch, d.id AS case_id
), settled AS (
    UPDATE run_doubt AS d
    SET closed_at = clock_timestamp(), outcome = 'landed_late', decision = NULL, version = d.version + 1
    FROM moved AS m WHERE d.id = m.case_id
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
SELECT run_id FROM moved
