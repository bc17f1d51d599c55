-- The lines of a page: everything that a row of the list shows, for the few rows of CTE page, as f.
SELECT {columns}, f.sort_at::text AS sort_key, labels.labels, worker.name AS worker_name, worker.build, last.*,
    (SELECT count(*) FROM (SELECT 1 FROM run_state o WHERE f.order_ref <> '' AND o.order_ref <> ''
        AND lower(o.order_ref) = lower(f.order_ref) LIMIT 100) AS same) AS runs_of_order
FROM page f
LEFT JOIN run_worker worker ON worker.owner = f.lease_owner
LEFT JOIN LATERAL (
    SELECT jsonb_object_agg(l.name, jsonb_build_array(l.value, l.currency)) AS labels
    FROM run_label l WHERE l.run_id = f.run_id
) labels ON true
LEFT JOIN LATERAL (
    SELECT t.id AS last_id, t.kind AS last_kind, t.epoch AS last_epoch, t.completed_step AS last_completed_step,
           t.began_step AS last_began_step, t.attempt AS last_attempt, t.owner_before AS last_owner_before,
           t.owner_after AS last_owner_after, t.lease_event AS last_lease_event, t.lapsed_at AS last_lapsed_at,
           t.at AS last_at, t.actor AS last_actor, t.told AS last_told,
           left(t.cursor_before->>'step', 200) AS last_step_before, left(t.cursor_after->>'step', 200) AS last_step_after
    FROM run_transition t WHERE t.run_id = f.run_id ORDER BY t.id DESC LIMIT 1
) last ON true
