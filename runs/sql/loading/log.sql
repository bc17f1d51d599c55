-- log
-- The log of the chunk's runs: what the trigger would have written of these moves.
INSERT INTO run_transition (run_id, kind, epoch, generation, cursor_before, cursor_after, owner_before, owner_after,
    completed_step, began_step, attempt, lease_event, result_hash, build, at)
SELECT m.run_id,
    CASE WHEN at = 0 THEN 'started_run' WHEN at = 1 THEN 'claimed'
         WHEN m.status IN ('done', 'failed', 'cancelled', 'in_doubt', 'blocked', 'held', 'waiting') THEN m.status
         WHEN at > 2 THEN 'step_completed' WHEN m.status = 'started' THEN 'step_started' ELSE 'released' END,
    least(at, 1), 0, m.cursor_before, m.cursor_after,
    CASE WHEN at > 1 THEN owner END, CASE WHEN at > 0 AND NOT (is_last AND m.status <> 'started') THEN owner END,
    CASE WHEN at > 2 THEN (%(steps)s::text[])[at - 2] END, CASE WHEN m.status = 'started' THEN (%(steps)s::text[])[number] END, 1,
    CASE WHEN at = 1 THEN 'claimed' WHEN is_last AND m.status <> 'started' THEN 'released' END,
    CASE WHEN at > 2 THEN sha256(convert_to((r.completed->(%(steps)s::text[])[at - 2])::text, 'UTF8')) END, 'load', moved_at
FROM load_move AS m JOIN run_state AS r USING (run_id)
ORDER BY m.run_id, at
