-- was_asked
-- Whom a run asked for this signal, at this doing of the step, when it last waited for it. Looks at
-- the newest rows of its log only: an older question has been answered, or given up.
SELECT t.may FROM (
    SELECT t.id, t.generation, t.cursor_after->>'signal' AS name, t.cursor_after->>'step' AS step, left(t.cursor_after->>'may', 80) AS may
    FROM run_transition t WHERE t.run_id = %(run_id)s ORDER BY t.id DESC LIMIT 1000
) t
WHERE t.name = %(name)s AND t.step = %(step)s AND t.generation = %(generation)s
ORDER BY t.id DESC LIMIT 1
