-- log
-- A page of one run's log, newest first, without the cursors themselves: only the steps they name.
-- Reasons come longer than a page shows them: they are redacted before they are cut.
-- %(upto)s: the newest id to show, or null. Returns one row more than %(limit)s where older ones exist.
SELECT t.id, t.kind, t.epoch, t.generation, t.owner_before, t.owner_after, t.completed_step, t.began_step, t.attempt,
    t.lease_event, t.lapsed_at, t.told, t.build, t.actor, left(t.reason, 1000) AS reason, t.at,
    left(t.cursor_before->>'step', 200) AS step_before, left(t.cursor_after->>'step', 200) AS step_after,
    left(t.cursor_after->>'status', 200) AS status_after, left(t.cursor_after->>'reason', 1000) AS cursor_reason
FROM run_transition t
WHERE t.run_id = %(run_id)s AND (%(upto)s::bigint IS NULL OR t.id <= %(upto)s)
ORDER BY t.id DESC LIMIT %(limit)s + 1
