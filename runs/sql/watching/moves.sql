-- moves
-- The newest %(limit)s rows of one run's log with what a timeline and a list of calls ask of a start mark: guard, amount,
-- item. One row more where older ones exist. The TTL is that of the owner before, whose lease may have lapsed.
SELECT t.id, t.kind, t.epoch, t.generation, t.owner_before, t.owner_after, t.completed_step, t.began_step, t.attempt,
    t.lease_event, t.lapsed_at, t.build, t.actor, t.at, worker.ttl_seconds,
    left(t.cursor_before->>'step', 200) AS step_before, left(t.cursor_after->>'step', 200) AS step_after,
    left(t.cursor_after->>'status', 40) AS status_after, left(t.cursor_after->>'guard', 40) AS guard,
    run_attempt(t.cursor_before) AS attempt_before, left(t.cursor_after->>'item', 200) AS item,
    CASE WHEN t.cursor_after->'amount'->>'amount' ~ '^-?[0-9]{1,18}([.][0-9]{1,9})?$'
        THEN (t.cursor_after->'amount'->>'amount')::numeric END AS amount,
    left(coalesce(t.cursor_after->'amount'->>'currency', ''), 12) AS currency,
    CASE WHEN t.cursor_after->>'items_done' ~ '^[0-9]{1,9}$' THEN (t.cursor_after->>'items_done')::integer END AS items_done
FROM run_transition t LEFT JOIN run_worker worker ON worker.owner = t.owner_before
WHERE t.run_id = %(run_id)s
ORDER BY t.id DESC LIMIT %(limit)s + 1
