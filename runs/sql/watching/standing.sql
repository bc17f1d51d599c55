-- standing
-- One page of the runs that have not ended, and of failures that nobody has seen: few at any size of the table,
-- each part with an index of its own. By promise, the oldest first, or newest first.
--
-- %(statuses)s: the unfinished statuses asked for. %(words)s: fact keys whose word is asked for, or null for
-- all; %(late)s: also those past their promise. %(unseen)s: also unseen failures. %(by_promise)s: the order,
-- which {order} (asc or desc) and {beyond} (> or <) repeat. %(key_sort)s, %(key_at)s, %(key_id)s: the last row of
-- the page before, or null. Returns one row more than %(limit)s where there is a further page.
--
-- Unseen failures are named by their own index before the order is in view: the planner would rather walk in
-- that order through all seen failures of all the years.
WITH {facts},
open AS MATERIALIZED (
    SELECT f.*, CASE WHEN %(by_promise)s THEN coalesce(f.due_at, 'infinity') ELSE f.created_at END AS sort_at FROM facts f
    WHERE f.status IN ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked') AND f.status = ANY (%(statuses)s)
      AND (%(words)s::text[] IS NULL OR {word} = ANY (%(words)s) OR (%(late)s AND f.late))
      AND {wanted}
), failed AS MATERIALIZED (
    SELECT f.*, CASE WHEN %(by_promise)s THEN 'infinity' ELSE f.created_at END AS sort_at FROM facts f
    WHERE f.run_id = ANY (ARRAY(SELECT u.run_id FROM run_state u
            WHERE %(unseen)s AND u.status = 'failed' AND u.seen_epoch IS DISTINCT FROM u.epoch))
      AND {wanted}
      AND (%(key_at)s::text IS NULL OR (CASE WHEN %(by_promise)s THEN 'infinity' ELSE f.created_at END, f.created_at, f.run_id)
          {beyond} (%(key_sort)s::timestamptz, %(key_at)s::timestamptz, %(key_id)s))
    ORDER BY f.created_at {order}, f.run_id {order}
    LIMIT %(limit)s + 1
), page AS MATERIALIZED (
    SELECT * FROM (SELECT * FROM open UNION ALL SELECT * FROM failed) AS f
    WHERE %(key_at)s::text IS NULL OR (f.sort_at, f.created_at, f.run_id) {beyond} (%(key_sort)s::timestamptz, %(key_at)s::timestamptz, %(key_id)s)
    ORDER BY f.sort_at {order}, f.created_at {order}, f.run_id {order}
    LIMIT %(limit)s + 1
)
{lines}
ORDER BY f.sort_at {order}, f.created_at {order}, f.run_id {order}
