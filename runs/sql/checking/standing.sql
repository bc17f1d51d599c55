-- checking/standing
-- Of some runs, those that stand elsewhere than the last row of their log says. Row and log are
-- read by one statement: a commit between two reads would look like a gap.
SELECT r.run_id, t.id, t.epoch AS told_epoch, r.epoch,
    t.owner_after AS told_owner, r.lease_owner AS owner,
    run_position(t.cursor_after) IS DISTINCT FROM run_position(r.cursor) AS moved
FROM run_state AS r
JOIN LATERAL (SELECT l.id, l.kind, l.epoch, l.cursor_after, l.owner_after FROM run_transition AS l
              WHERE l.run_id = r.run_id AND l.kind NOT IN ('commit_refused', 'loss_noticed')
              ORDER BY l.id DESC LIMIT 1) AS t ON true
WHERE r.run_id = ANY (%(run_ids)s::text[])
  AND (t.epoch <> r.epoch OR t.owner_after IS DISTINCT FROM r.lease_owner
       OR run_position(t.cursor_after) IS DISTINCT FROM run_position(r.cursor))
ORDER BY r.run_id
