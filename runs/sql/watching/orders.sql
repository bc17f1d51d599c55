-- orders
-- One page of the list, newest first, by a key that never changes (created_at, run_id): commits move no row.
-- Walks down an index in the order of the page, so that a page costs the same at any size of the table.
--
-- %(statuses)s: the statuses asked for, or null for all; %(only_seen)s: of failures only those that are seen;
-- %(odd)s: only statuses that nobody here knows.
-- %(key_at)s, %(key_id)s: the last row of the page before, or null. Returns one row more than %(limit)s where
-- there is a further page.
WITH {facts},
page AS MATERIALIZED (
    SELECT f.*, f.created_at AS sort_at FROM facts f
    WHERE {scope}
      AND {wanted}
      AND (%(key_at)s::text IS NULL OR (f.created_at, f.run_id) < (%(key_at)s::timestamptz, %(key_id)s))
    ORDER BY f.created_at DESC, f.run_id DESC
    LIMIT %(limit)s + 1
)
{lines}
ORDER BY f.created_at DESC, f.run_id DESC
