-- run
-- One run with the facts of its word, its labels and its worker. Sizes of the payloads are told,
-- the payloads themselves are not read.
WITH {facts}
SELECT {columns}, labels.labels,
    worker.name AS worker_name, worker.build, worker.host, worker.pod, worker.beats, worker.heartbeat_seconds,
    worker.ttl_seconds, worker.last_beat_at, worker.sigterm_at,
    begun.build AS begun_build
FROM facts f
LEFT JOIN run_worker worker ON worker.owner = f.lease_owner
LEFT JOIN LATERAL (
    SELECT jsonb_object_agg(l.name, jsonb_build_array(l.value, l.currency)) AS labels
    FROM run_label l WHERE l.run_id = f.run_id
) labels ON true
LEFT JOIN LATERAL (
    SELECT t.build FROM run_transition t WHERE t.run_id = f.run_id AND t.build IS NOT NULL ORDER BY t.id LIMIT 1
) begun ON true
WHERE f.run_id = %(run_id)s
