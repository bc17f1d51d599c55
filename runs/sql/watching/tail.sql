-- tail
-- Log rows after a position and below every transaction that is still open: whoever commits late
-- commits above the mark, so that no row is passed over. Goes in by run_transition_tail.
SELECT t.incarnation, t.xid::text::bigint AS xid, t.id, t.run_id, t.kind
FROM run_transition t
WHERE (t.incarnation, t.xid, t.id) > (%(incarnation)s::integer, %(xid)s::text::xid8, %(id)s::bigint)
  AND t.xid < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY t.incarnation, t.xid, t.id LIMIT %(limit)s
