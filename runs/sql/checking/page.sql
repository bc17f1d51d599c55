-- checking/page
-- A page of the log, a run's rows in their order, from a run and row onwards. Each page is a
-- statement of its own: no snapshot outlives it.
SELECT t.run_id, t.id, t.kind, t.epoch, run_position(t.cursor_before) AS cursor_before, run_position(t.cursor_after) AS cursor_after,
    t.owner_before, t.owner_after, t.completed_step, encode(t.result_hash, 'hex') AS result_hash
FROM run_transition AS t
WHERE (t.run_id, t.id) > (%(run_id)s, %(id)s::bigint) AND (%(only)s = '' OR t.run_id = %(only)s)
ORDER BY t.run_id, t.id
LIMIT %(page)s
