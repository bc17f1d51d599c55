-- search
-- Runs that a caller's words name: run id, order number, its last four characters, a worker that holds it, or a
-- searchable label. Each arm goes in by its own index. %(folded)s is the text as run_label.folded keeps it,
-- %(lowered)s as the order's index does, %(prefix)s and %(order_prefix)s the same as LIKE patterns;
-- %(closed)s are labels that are not for this reader. Exact hits come before beginnings.
SELECT run_id, min(rank) AS rank FROM (
    SELECT run_id, 1 AS rank FROM run_state WHERE run_id IN (%(text)s, %(typed)s)
    UNION ALL
    (SELECT run_id, 2 FROM run_state WHERE order_ref <> '' AND lower(order_ref) = %(lowered)s LIMIT %(cap)s)
    UNION ALL
    (SELECT run_id, 2 FROM run_label WHERE folded <> '' AND folded = %(folded)s AND NOT name = ANY (%(closed)s) LIMIT %(cap)s)
    UNION ALL
    (SELECT run_id, 2 FROM run_state WHERE status IN ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked')
        AND lower(%(text)s) IN (lower(lease_owner), lower(split_part(lease_owner, '#', 1))) LIMIT %(cap)s)
    UNION ALL
    (SELECT run_id, 3 FROM run_state WHERE order_ref <> '' AND length(%(text)s) = 4
        AND upper(right(order_ref, 4)) = upper(%(text)s) ORDER BY created_at DESC LIMIT %(cap)s)
    UNION ALL
    (SELECT run_id, 4 FROM run_label WHERE folded <> '' AND length(%(text)s) > 2 AND folded LIKE %(prefix)s
        AND NOT name = ANY (%(closed)s) LIMIT %(cap)s)
    UNION ALL
    (SELECT run_id, 4 FROM run_state WHERE order_ref <> '' AND length(%(text)s) > 2 AND lower(order_ref) LIKE %(order_prefix)s LIMIT %(cap)s)
) hits
GROUP BY run_id ORDER BY rank, run_id LIMIT %(cap)s
