-- runs
-- The chunk's rows of the record. The session's triggers are off: the log's rows are made beside.
-- A held lease is good for an hour, so that there is time to look at it.
INSERT INTO run_state (run_id, workflow, epoch, cursor, completed, input, lease_owner, lease_expires_at, created_at,
    updated_at, wake_at, status, step, order_ref, seen_epoch)
SELECT r.run_id, %(workflow)s, 1,
    pg_temp.load_cursor(%(steps)s::text[], %(guards)s::text[], least(r.place + 1, r.steps), r.status),
    coalesce((SELECT jsonb_object_agg((%(steps)s::text[])[i], jsonb_build_object('reference', 'R' || r.n || '-' || i, 'status', 'accepted'))
              FROM generate_series(1, r.place) AS i), '{}'),
    jsonb_build_object('order_ref', r.order_ref, 'channel', 'portal', 'buyer', jsonb_build_object('name', r.buyer)),
    CASE WHEN r.status = 'started' THEN 'load-' || r.n %% 40 || '#0000aa' END,
    CASE WHEN r.status = 'started' THEN clock_timestamp() + interval '1 hour' END,
    r.created_at, r.created_at + interval '1 second' * r.took * (r.place + 1),
    CASE WHEN r.status = 'pending' AND r.n %% 2 = 0 THEN clock_timestamp() + interval '10 minutes' END,
    r.status, (%(steps)s::text[])[least(r.place + 1, r.steps)], r.order_ref,
    CASE WHEN r.status = 'failed' AND NOT r.is_open THEN 1 END
FROM load_run AS r
