-- end_empty_drains
-- Drains whose every bound process has stopped or is gone end by themselves. Safe twice at once.
UPDATE run_drain AS d SET ended_at = clock_timestamp(), ended_by = 'no bound worker lives', ended_xid = pg_current_xact_id()
WHERE d.ended_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM run_drain_bound b JOIN run_worker w ON w.owner = b.owner
                  WHERE b.drain_id = d.id AND w.stopped_at IS NULL AND w.gone_at IS NULL)
RETURNING d.id
