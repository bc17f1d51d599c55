-- stops
-- What keeps work from going on, whoever looks: emergency holds in force, and whether any live worker
-- is free of a drain. A worker counts as live while it beats within %(silent)s seconds.
SELECT
    (SELECT coalesce(jsonb_agg(jsonb_build_object('workflow', h.workflow, 'step', h.step, 'vendor', h.vendor,
         'actor', h.actor, 'reason', h.reason) ORDER BY h.id), '[]')
     FROM run_emergency_hold h WHERE h.lifted_at IS NULL) AS holds,
    count(*) AS live,
    count(*) FILTER (WHERE NOT run_draining(w.owner)) AS free
FROM run_worker w
WHERE w.stopped_at IS NULL AND w.gone_at IS NULL AND w.last_beat_at > clock_timestamp() - %(silent)s * interval '1 second'
