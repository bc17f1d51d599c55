-- leave
-- A process ends by itself. A drain whose last bound process has left ends with it.
WITH gone AS (
    UPDATE run_worker SET stopped_at = clock_timestamp(), inside = '[]' WHERE owner = %(owner)s RETURNING owner
)
UPDATE run_drain AS d SET ended_at = clock_timestamp(), ended_by = 'last worker left', ended_xid = pg_current_xact_id()
FROM gone
WHERE d.ended_at IS NULL AND EXISTS (SELECT 1 FROM run_drain_bound b WHERE b.drain_id = d.id AND b.owner = gone.owner)
  AND NOT EXISTS (SELECT 1 FROM run_drain_bound b JOIN run_worker w ON w.owner = b.owner
                  WHERE b.drain_id = d.id AND w.owner <> gone.owner AND w.stopped_at IS NULL AND w.gone_at IS NULL)
