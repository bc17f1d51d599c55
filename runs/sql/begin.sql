-- begin
-- Mark an attempt begun: started, attempt + 1, with the guard and the amount as declared now.
--
-- Demands the fence on a pending or started row. A mark or an emergency hold stops it before
-- anything is sent.
--
-- Returns null, or the cursor that stands where it is not the one asked for; no row if lost.
UPDATE run_state AS r
SET cursor = CASE
        WHEN r.signals ? 'marks' AND (r.status = 'pending' OR r.cursor->>'guard' = 'pure') THEN run_honour(r.signals, %(onward)s::jsonb)
        WHEN EXISTS (SELECT 1 FROM run_emergency_hold h WHERE h.lifted_at IS NULL AND h.workflow IN ('', r.workflow)
                     AND h.step IN ('', r.step) AND h.vendor IN ('', %(vendor)s)) THEN r.cursor
        ELSE %(onward)s::jsonb END,
    signals = CASE WHEN r.signals ? 'marks' AND (r.status = 'pending' OR r.cursor->>'guard' = 'pure')
                   THEN r.signals - 'marks' ELSE r.signals END,
    lease_expires_at = clock_timestamp() + %(ttl)s::float8 * interval '1 second'
WHERE r.run_id = %(run_id)s AND r.lease_owner = %(owner)s AND r.epoch = %(epoch)s
  AND r.cursor = %(expected)s::jsonb AND r.status IN ('pending', 'started')
  AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING CASE WHEN r.cursor <> %(onward)s::jsonb THEN r.cursor END AS stopped_at
