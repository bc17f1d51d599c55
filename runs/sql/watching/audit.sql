-- audit
-- A page of what people did, newest first, by key. Empty filters match all, as does null for runs.
-- Each filter has an index of its own that ends in id.
--
-- Returns one row more than %(limit)s where older ones exist.
SELECT a.id, a.at, a.actor, a.role, a.via, a.deed, a.run_id, a.order_ref, a.outcome, a.before, a.after, a.reason, a.told,
    coalesce((SELECT r.workflow FROM run_state r WHERE r.run_id = a.run_id), '') AS workflow
FROM run_audit a
WHERE (%(actor)s = '' OR a.actor = %(actor)s)
  AND (%(deed)s = '' OR a.deed = %(deed)s)
  AND (%(outcome)s = '' OR a.outcome = %(outcome)s)
  AND (%(runs)s::text[] IS NULL OR a.run_id = ANY (%(runs)s))
  AND (%(before)s::bigint IS NULL OR a.id < %(before)s)
ORDER BY a.id DESC LIMIT %(limit)s + 1
