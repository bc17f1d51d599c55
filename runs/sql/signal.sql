-- signal
-- Tell a run something that a step waits for: named, with an id, for one step and generation. The
-- same id twice, also after it was consumed, is one signal. A run that waits for it becomes due.
--
-- Demands an unfinished run at the step and generation that the signal answers, and room: the
-- signals of a run are capped at size_cap bytes.
--
-- Returns run_id and fresh (false for a repeated id); no row if the run has moved on or is full.
UPDATE run_state AS r
SET signals = CASE WHEN k.known THEN r.signals ELSE r.signals || jsonb_build_object('told', coalesce(r.signals->'told', '[]') ||
        (%(signal)s::jsonb || jsonb_build_object('step', r.step, 'generation', r.generation, 'at', clock_timestamp()))) END,
    wake_at = CASE WHEN NOT k.known AND r.status = 'waiting' AND r.cursor->>'signal' = %(signal)s::jsonb->>'name'
                   THEN clock_timestamp() ELSE r.wake_at END
FROM (SELECT s.run_id, coalesce(s.signals->'consumed', '[]') ? (%(signal)s::jsonb->>'id')
             OR coalesce(s.signals->'told', '[]') @> jsonb_build_array(jsonb_build_object('id', %(signal)s::jsonb->>'id')) AS known
      FROM run_state AS s WHERE s.run_id = %(run_id)s FOR NO KEY UPDATE) AS k
WHERE r.run_id = k.run_id
  AND (k.known OR (r.status IN ('pending', 'started', 'waiting', 'held', 'blocked', 'in_doubt')
                   AND r.step = %(step)s AND r.generation = %(generation)s
                   AND length(r.signals::text) + length(%(signal)s::jsonb::text) <= %(size_cap)s))
  AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.run_id, NOT k.known AS fresh
