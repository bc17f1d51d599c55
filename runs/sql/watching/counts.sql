-- counts
-- Unfinished runs by fact, counted exactly over the partial index of unfinished rows; the words
-- are put to the facts in Python, from the one table.
WITH {facts}
SELECT status, lease, wake, tried, slow, late, count(*) AS runs
FROM facts
WHERE status IN ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked')
GROUP BY status, lease, wake, tried, slow, late
