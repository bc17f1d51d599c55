-- blockers
-- Sessions that have a transaction open and hold a write lock on run_state, oldest first: the ones
-- to look at when a row stays locked.
SELECT a.pid FROM pg_stat_activity AS a
WHERE a.pid <> pg_backend_pid() AND a.xact_start < clock_timestamp() - interval '1 second'
  AND EXISTS (SELECT 1 FROM pg_locks AS l WHERE l.pid = a.pid AND l.relation = 'run_state'::regclass
              AND l.mode IN ('RowExclusiveLock', 'RowShareLock', 'ExclusiveLock', 'AccessExclusiveLock'))
  AND %(run_id)s <> ''
ORDER BY a.xact_start
