-- search
-- Runs that a caller's words name: run id, order number, its last four characters, or a searchable
-- label. Each arm goes in by its own index; %(folded)s is the text as run_label.folded keeps it,
-- %(prefix)s the same as a LIKE prefix. Exact hits come before beginnings.
SELECT run_id, min(rank) AS rank FROM (
    SELECT run_id, 1 AS rank FROM run_state WHERE run_id = %(text)s
    UNION ALL
    (SELECT run_id, 2 FROM run_state WHERE order_ref <> '' AND order_ref IN (%(text)s, upper(%(text)s), lower(%(text)s)) LIMIT %(cap)s)
    UNION ALL
    (SELECT run_id, 2 FROM run_label WHERE folded <> '' AND folded = %(folded)s LIMIT %(cap)s)
    UNION ALL
    (SELECT run_id, 3 FROM run_state WHERE order_ref <> '' AND length(%(text)s) = 4
        AND upper(right(order_ref, 4)) = upper(%(text)s) ORDER BY created_at DESC LIMIT %(cap)s)
    UNION ALL
    (SELECT run_id, 4 FROM run_label WHERE folded <> '' AND length(%(text)s) > 2 AND folded LIKE %(prefix)s LIMIT %(cap)s)
    UNION ALL
    (SELECT run_id, 4 FROM run_state WHERE order_ref <> '' AND length(%(text)s) > 2 AND order_ref LIKE %(ref_prefix)s LIMIT %(cap)s)
) hits
GROUP BY run_id ORDER BY rank, run_id LIMIT %(cap)s
