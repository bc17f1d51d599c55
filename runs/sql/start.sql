-- start
-- Put a run on the board at its first step, pending, owned by nobody.
--
-- Demands that run_id is free. The same start repeated returns the run that is there, so a caller
-- whose answer was lost may simply ask again; made tells the two apart and same whether workflow
-- and input agree. No row only when another start of this run_id committed meanwhile: ask again.
WITH made AS (
    INSERT INTO run_state (run_id, workflow, cursor, input)
    VALUES (%(run_id)s, %(workflow)s, %(cursor)s::jsonb, %(input)s::jsonb)
    ON CONFLICT (run_id) DO NOTHING
    RETURNING run_id, set_config('leaseboard.by', %(by)s, true)
), labelled AS (
    INSERT INTO run_label (run_id, name, value, folded, currency)
    SELECT m.run_id, l.name, l.value, l.folded, l.currency
    FROM made AS m, jsonb_to_recordset(%(labels)s::jsonb) AS l(name text, value text, folded text, currency text)
)
SELECT true AS made, true AS same FROM made
UNION ALL
SELECT false, r.workflow = %(workflow)s AND r.input = %(input)s::jsonb FROM run_state r
WHERE r.run_id = %(run_id)s AND NOT EXISTS (SELECT 1 FROM made)
