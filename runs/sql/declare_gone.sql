-- declare_gone
-- By rule: a silent process is gone when TTL and one sweep have passed since its last beat, and
-- every lease it held has lapsed and been retaken or held.
UPDATE run_worker AS w SET gone_at = clock_timestamp(), gone_by = 'rule'
WHERE w.stopped_at IS NULL AND w.gone_at IS NULL
  AND w.last_beat_at < clock_timestamp() - (w.ttl_seconds + %(sweep)s::float8) * interval '1 second'
  AND NOT EXISTS (SELECT 1 FROM run_state r WHERE r.lease_owner = w.owner
                  AND r.status IN ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked'))
RETURNING w.owner
