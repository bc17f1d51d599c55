-- orders
-- One page of the list, by a key that never changes (created_at, run_id): commits move no row.
--
-- %(words)s: fact keys whose word is asked for, or null for all. %(late)s: also rows past their
-- promise. %(unfinished)s and %(ended)s repeat the statuses that this takes, apart, so that each can go
-- in by its own partial index. %(key_at)s, %(key_id)s: the last row of the page before, or null. {order} is desc or asc
-- and {beyond} < or >. Returns one row more than %(limit)s where there is a further page.
WITH {facts},
page AS (
    SELECT * FROM facts
    WHERE (%(words)s::text[] IS NULL
           OR status || '|' || lease || '|' || wake || '|' || tried || '|' || slow || '|' || late = ANY (%(words)s)
           OR (%(late)s AND late)
           OR (%(other)s AND NOT status = ANY (%(known)s)))
      AND (%(unfinished)s::text[] IS NULL OR status = ANY (%(unfinished)s) OR status = ANY (%(ended)s))
      AND (%(ids)s::text[] IS NULL OR run_id = ANY (%(ids)s))
      AND (%(key_at)s::text IS NULL OR (created_at, run_id) {beyond} (%(key_at)s::timestamptz, %(key_id)s))
    ORDER BY created_at {order}, run_id {order}
    LIMIT %(limit)s + 1
)
SELECT {columns}, labels.labels, worker.name AS worker_name, worker.build, last.*
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
ORDER BY f.created_at {order}, f.run_id {order}
