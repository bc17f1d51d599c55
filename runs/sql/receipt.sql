-- receipt
-- What became of the runs that a drain's processes held, folded from the log between the drain's
-- mark and its end, or until now. The positions of both bound the read, however long the log is.
--
-- Returns one row of counts and recovery seconds; no row where there is no such drain.
WITH drain AS (
    SELECT d.id, d.marked_at, d.marked_xid, d.ended_at, d.ended_xid FROM run_drain AS d WHERE d.id = %(drain_id)s
), bound AS (
    SELECT b.owner FROM run_drain_bound AS b JOIN drain ON drain.id = b.drain_id
), moves AS (
    SELECT t.run_id, t.kind, t.lease_event, t.at, t.lapsed_at, t.owner_before
    FROM drain JOIN run_transition AS t
      ON t.incarnation = (SELECT incarnation FROM run_incarnation)
     AND t.xid >= drain.marked_xid AND (drain.ended_xid IS NULL OR t.xid <= drain.ended_xid)
    WHERE t.owner_before IN (SELECT owner FROM bound)
)
SELECT drain.marked_at, drain.ended_at, (SELECT count(*) FROM bound) AS bound,
       count(m.run_id) FILTER (WHERE m.kind = 'done') AS finished,
       count(m.run_id) FILTER (WHERE m.lease_event = 'released' AND m.kind IN ('step_completed', 'released')) AS handed_over,
       count(m.run_id) FILTER (WHERE m.lapsed_at IS NOT NULL AND m.kind IN ('taken_over', 'in_doubt', 'blocked')) AS cut,
       count(m.run_id) FILTER (WHERE m.kind = 'in_doubt') AS in_doubt,
       count(m.run_id) FILTER (WHERE m.kind = 'landed_late') AS landed_late,
       count(m.run_id) FILTER (WHERE m.kind = 'commit_refused') AS refused,
       (SELECT count(*) FROM run_state AS r
        WHERE r.status IN ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked')
          AND r.lease_owner IN (SELECT owner FROM bound)) AS held,
       percentile_cont(ARRAY[0.5, 0.99, 1]) WITHIN GROUP (ORDER BY extract(epoch FROM m.at - m.lapsed_at))
           FILTER (WHERE m.kind = 'taken_over' AND m.lapsed_at IS NOT NULL) AS resumed_after
FROM drain LEFT JOIN moves AS m ON true
GROUP BY drain.marked_at, drain.ended_at
