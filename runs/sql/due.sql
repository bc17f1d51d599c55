-- due
-- A page of runs that nobody moves and somebody should: lapsed, due by wake_at, or pending and
-- unclaimed. unprotected tells those that only hold_lapsed may touch.
--
-- A run is named when it became due since the last sweep, and again whenever its age crosses
-- another minute: a lost message costs a minute, a full queue is not filled again every sweep. What
-- an emergency hold stopped is named again once it is lifted, however young. A call that only hold_lapsed may touch
-- is named every time: it costs no message, and a row that was locked just now must not wait a minute.
-- So is a run that lost two workers, as again: each process takes one such run at a time, so most of
-- their messages are spent on processes that may not take them yet.
SELECT r.run_id, r.epoch, run_unprotected(r.status, r.workflow, r.cursor) AS unprotected, d.since, NOT (n.older OR n.lifted) AS again
FROM run_state AS r,
LATERAL (SELECT CASE
    WHEN r.lease_owner IS NOT NULL THEN coalesce(r.lease_expires_at, r.updated_at)
    WHEN r.wake_at IS NOT NULL THEN r.wake_at
    WHEN run_unprotected(r.status, r.workflow, r.cursor) OR r.status = 'started' THEN r.updated_at
    ELSE r.updated_at + interval '1 minute' END AS since) AS d,
LATERAL (SELECT floor(extract(epoch FROM clock_timestamp() - d.since) / 60)
              > floor(extract(epoch FROM %(last_sweep)s::timestamptz - d.since) / 60) AS older,
           EXISTS (SELECT 1 FROM run_emergency_hold h WHERE h.lifted_at > %(last_sweep)s
                   AND h.workflow IN ('', r.workflow) AND h.step IN ('', r.step)) AS lifted) AS n
WHERE r.status IN ('pending', 'started', 'waiting') AND r.run_id > %(after)s AND r.workflow <> ''
  AND (r.wake_at <= clock_timestamp() OR (r.wake_at IS NULL AND r.status <> 'waiting'))
  AND (r.lease_owner IS NULL OR r.lease_expires_at IS NULL OR r.lease_expires_at < clock_timestamp())
  AND (d.since <= clock_timestamp() OR n.lifted)
  AND (run_unprotected(r.status, r.workflow, r.cursor) OR n.older OR n.lifted
       OR cardinality(r.lapses) + (r.lease_owner IS NOT NULL)::integer >= 2)
  AND NOT EXISTS (SELECT 1 FROM run_emergency_hold h WHERE h.lifted_at IS NULL
                  AND h.workflow IN ('', r.workflow) AND h.step IN ('', r.step) AND h.vendor = '')
ORDER BY r.run_id LIMIT %(page)s
