-- open_drains
-- Drains that have not ended, with how many processes each binds, how many of them live and have
-- acknowledged, and how many runs they still hold.
SELECT d.id, d.build, d.node, d.actor, d.reason, d.marked_at, count(b.owner) AS bound,
       count(*) FILTER (WHERE w.stopped_at IS NULL AND w.gone_at IS NULL) AS alive,
       count(b.acknowledged_at) AS acknowledged,
       (SELECT count(*) FROM run_state AS r WHERE r.status IN ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked')
        AND r.lease_owner IN (SELECT owner FROM run_drain_bound WHERE drain_id = d.id)) AS held
FROM run_drain AS d LEFT JOIN run_drain_bound AS b ON b.drain_id = d.id LEFT JOIN run_worker AS w ON w.owner = b.owner
WHERE d.ended_at IS NULL GROUP BY d.id ORDER BY d.id
