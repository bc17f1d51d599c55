-- payload
-- One payload of a run as the database writes it, its digits untouched: the first %(limit)s characters, and how
-- many bytes the whole has. Null where there is none, no row where the run is gone.
--
-- %(part)s: input, signals (what it was told and has not used yet), result (of %(step)s, followed to run_output where
-- the row holds a pointer), output (row %(id)s of run_output). %(path)s: the field asked for, or '{}' for all of it.
WITH asked AS (
    SELECT CASE %(part)s
        WHEN 'input' THEN r.input
        WHEN 'signals' THEN r.signals->'told'
        WHEN 'result' THEN coalesce(
            (SELECT o.value FROM run_output o
             WHERE o.run_id = r.run_id AND o.step = %(step)s AND o.kind = 'result'
               AND o.generation::text = r.completed->%(step)s#>>'{_output,generation}'
               AND o.epoch::text = r.completed->%(step)s#>>'{_output,epoch}'
             ORDER BY o.id DESC LIMIT 1), r.completed->%(step)s)
        WHEN 'output' THEN (SELECT coalesce(o.value, to_jsonb(o.raw)) FROM run_output o WHERE o.id = %(id)s AND o.run_id = r.run_id)
        END AS value
    FROM run_state r WHERE r.run_id = %(run_id)s
),
written AS MATERIALIZED (SELECT (a.value #> %(path)s::text[])::text AS whole FROM asked a)
SELECT left(w.whole, %(limit)s) AS payload, octet_length(w.whole) AS bytes FROM written w
