-- held_back
-- Is a long transaction holding the tail back? Committed rows that nobody may read yet, older than
-- %(seconds)s, and the process whose transaction is the oldest of the cluster.
SELECT min(t.at) AS since,
    (SELECT a.pid FROM pg_stat_activity a WHERE a.backend_xid IS NOT NULL OR a.backend_xmin IS NOT NULL
     ORDER BY a.xact_start LIMIT 1) AS pid
FROM run_transition t
WHERE (t.incarnation, t.xid) >= (%(incarnation)s::integer, pg_snapshot_xmin(pg_current_snapshot()))
  AND t.at < clock_timestamp() - %(seconds)s * interval '1 second'
HAVING min(t.at) IS NOT NULL
