-- position
-- Where a page stands before it reads: every log row with a lower xid is visible to it, and a
-- stream that goes on from here repeats what it may have seen rather than miss what it has not.
SELECT coalesce((SELECT incarnation FROM run_incarnation), 1) AS incarnation,
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xid, 0::bigint AS id, clock_timestamp() AS now
