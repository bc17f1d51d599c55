-- commit_step
-- Record a step's result and move on, on behalf of the worker that holds the run.
--
-- Demands the fence: run, owner, epoch and the cursor that this worker left behind. Owner and
-- epoch alone would let a commit slide over a hole after a failover lost the previous one, and
-- let a retried commit land twice. A lapsed lease is no obstacle while the epoch stands.
--
-- Writes the result and the next position in one row version: the next step is already started
-- where this worker goes straight on. Marks and emergency holds are honoured here. The lease is
-- extended by ttl, or given back where ttl is null.
--
-- Returns null, or the cursor that stands where it is not the one asked for; no row if this
-- worker has lost the run, or the commit landed before and only its answer was lost.
UPDATE run_state AS r
SET cursor = CASE
        WHEN r.signals ? 'marks' THEN run_honour(r.signals, %(onward)s::jsonb)
        WHEN EXISTS (SELECT 1 FROM run_emergency_hold h WHERE h.lifted_at IS NULL AND h.workflow IN ('', r.workflow)
                     AND h.step IN ('', %(onward)s::jsonb->>'step') AND h.vendor IN ('', %(vendor)s))
            THEN CASE WHEN %(onward)s::jsonb->>'status' = 'started'
                      THEN %(onward)s::jsonb - '{guard,amount}'::text[] || '{"status": "pending", "attempt": 0}'
                      ELSE %(onward)s::jsonb END
        ELSE %(onward)s::jsonb END,
    completed = r.completed || %(result)s::jsonb,
    signals = CASE WHEN r.signals = '{}' THEN r.signals ELSE run_after(r.signals, %(consumed)s::text[], true) END,
    lease_owner = CASE WHEN %(ttl)s::float8 IS NOT NULL THEN r.lease_owner END,
    lease_expires_at = clock_timestamp() + %(ttl)s::float8 * interval '1 second',
    wake_at = NULL
WHERE r.run_id = %(run_id)s AND r.lease_owner = %(owner)s AND r.epoch = %(epoch)s
  AND r.cursor = %(expected)s::jsonb AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING CASE WHEN r.cursor <> %(onward)s::jsonb THEN r.cursor END AS stopped_at
