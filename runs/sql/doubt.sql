-- doubt
-- The owner itself does not know whether its effect happened, or knows that it did and cannot
-- store the result: the run is held and a case opened, in one statement.
--
-- Demands the fence on a started row. raw is what is left of a result that could not be stored: with
-- it the effect is known to have happened.
--
-- Returns the id of the case; no row if lost.
WITH moved AS (
    UPDATE run_state AS r
    SET cursor = r.cursor || jsonb_build_object('status', 'in_doubt', 'reason', %(reason)s::text), wake_at = NULL
    WHERE r.run_id = %(run_id)s AND r.lease_owner = %(owner)s AND r.epoch = %(epoch)s
      AND r.cursor = %(expected)s::jsonb AND r.status = 'started' AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
    RETURNING r
), kept AS (
    INSERT INTO run_output (run_id, step, item, generation, epoch, attempt, kind, raw)
    SELECT (m.r).run_id, (m.r).step, %(expected)s::jsonb->>'item', (m.r).generation, (m.r).epoch, %(attempt)s, k.kind, k.raw
    FROM moved AS m, (VALUES ('raw', %(raw)s::text), ('error', %(error)s::text)) AS k(kind, raw) WHERE k.raw IS NOT NULL
)
SELECT run_open_doubt(m.r, %(expected)s::jsonb, %(owner)s, %(epoch)s, (m.r).epoch, %(reason)s, '',
                      %(raw)s::text IS NOT NULL) AS case_id,
       (m.r).run_id FROM moved AS m
