-- counts
-- Unfinished runs by fact, counted exactly over the partial index of unfinished rows, and the failures that
-- nobody has seen over theirs; the words are put to the facts in Python, from the one table.
WITH {facts}
SELECT status, lease, wake, tried, slow, late, false AS seen, count(*) AS runs
FROM facts
WHERE status IN ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked')
GROUP BY status, lease, wake, tried, slow, late
UNION ALL
SELECT 'failed', 'none', 'none', false, false, false, false, count(*)
FROM run_state WHERE status = 'failed' AND seen_epoch IS DISTINCT FROM epoch
