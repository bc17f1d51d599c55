-- ended
-- Finished and unknown rows, capped: failed and unknown ones over their own small indexes, and
-- those begun and finished since %(since)s over the index of creation. A cap that is reached is said.
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM run_state WHERE status = 'failed' LIMIT %(cap)s + 1) x) AS failed,
    (SELECT count(*) FROM (SELECT 1 FROM run_state WHERE status NOT IN
        ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked', 'done', 'failed', 'cancelled') LIMIT %(cap)s + 1) x) AS other,
    (SELECT count(*) FROM (SELECT 1 FROM run_state WHERE status = 'done' AND created_at >= %(since)s LIMIT %(cap)s + 1) x) AS done,
    (SELECT count(*) FROM (SELECT 1 FROM run_state WHERE status = 'cancelled' AND created_at >= %(since)s LIMIT %(cap)s + 1) x) AS cancelled
