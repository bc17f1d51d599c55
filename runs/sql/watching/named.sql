-- named
-- One page of these runs, %(ids)s, newest first, as orders.sql gives it. They are gathered first, by their own
-- key: few, in any order, and from anywhere in the table.
WITH {facts},
found AS MATERIALIZED (
    SELECT f.*, f.created_at AS sort_at FROM facts f WHERE f.run_id = ANY (%(ids)s) AND {scope} AND {wanted}
), page AS MATERIALIZED (
    SELECT * FROM found f
    WHERE %(key_at)s::text IS NULL OR (f.created_at, f.run_id) < (%(key_at)s::timestamptz, %(key_id)s)
    ORDER BY f.created_at DESC, f.run_id DESC
    LIMIT %(limit)s + 1
)
{lines}
ORDER BY f.created_at DESC, f.run_id DESC
