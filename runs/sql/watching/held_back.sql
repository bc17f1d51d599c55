-- held_back
-- Is a long transaction holding the tail back? The oldest committed row that nobody may read yet, if it
-- is older than %(seconds)s, and the process whose transaction is the oldest of the cluster. Goes in by
-- run_transition_tail and reads one row.
SELECT first.at AS since,
    (SELECT a.pid FROM pg_stat_activity a WHERE a.backend_xid IS NOT NULL OR a.backend_xmin IS NOT NULL
     ORDER BY a.xact_start LIMIT 1) AS pid
FROM (
    SELECT t.at FROM run_transition t
    WHERE (t.incarnation, t.xid) >= (%(incarnation)s::integer, pg_snapshot_xmin(pg_current_snapshot()))
    ORDER BY t.incarnation, t.xid, t.id LIMIT 1
) first
WHERE first.at < clock_timestamp() - %(seconds)s * interval '1 second'
