f.run_id, f.workflow, f.order_ref, f.status, f.step, f.epoch, f.generation, f.lease_owner,
    f.lease, f.wake, f.tried, f.slow, f.late, f.seen, f.paced, f.now, f.created_at::text AS created_key,
    CASE WHEN f.created_at BETWEEN '0001-01-02' AND '9999-12-30' THEN f.created_at END AS created_at,
    CASE WHEN f.updated_at BETWEEN '0001-01-02' AND '9999-12-30' THEN f.updated_at END AS updated_at,
    CASE WHEN f.wake_at BETWEEN '0001-01-02' AND '9999-12-30' THEN f.wake_at END AS wake_at,
    CASE WHEN f.lease_expires_at BETWEEN '0001-01-02' AND '9999-12-30' THEN f.lease_expires_at END AS lease_expires_at,
    run_attempt(f.cursor) AS attempt,
    left(f.cursor->>'item', 120) AS item,
    CASE WHEN f.cursor->>'items_done' ~ '^[0-9]{1,9}$' THEN (f.cursor->>'items_done')::integer END AS items_done,
    CASE WHEN f.cursor->>'items_total' ~ '^[0-9]{1,9}$' THEN (f.cursor->>'items_total')::integer END AS items_total,
    left(f.cursor->>'guard', 40) AS guard, left(f.cursor->>'reason', 1000) AS reason,
    left(f.cursor->>'signal', 120) AS signal, left(f.cursor->>'may', 80) AS may,
    coalesce((SELECT array_agg(mark) FROM jsonb_object_keys(
        CASE WHEN jsonb_typeof(f.signals->'marks') = 'object' THEN f.signals->'marks' ELSE '{}' END) AS mark), '{}') AS marks
