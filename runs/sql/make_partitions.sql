-- make_partitions
-- This month's partition of the log and three more, as far as they are missing.
SELECT run_make_partitions(3) AS made
