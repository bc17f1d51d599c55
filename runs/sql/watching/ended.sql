-- ended
-- Ended runs from the tally, in all and since %(since)s, with the time of that count; unknown statuses over
-- their own small index, capped. No row of the tally before the first fold: counted_at is null then.
SELECT clock_timestamp() AS now, (SELECT at FROM run_pulse WHERE name = 'tally') AS counted_at,
    coalesce(sum(runs) FILTER (WHERE status = 'done' AND NOT isfinite(since)), 0)::bigint AS done,
    coalesce(sum(runs) FILTER (WHERE status = 'cancelled' AND NOT isfinite(since)), 0)::bigint AS cancelled,
    coalesce(sum(runs) FILTER (WHERE status = 'failed' AND NOT isfinite(since)), 0)::bigint AS failed,
    coalesce(sum(runs) FILTER (WHERE status = 'done' AND isfinite(since)), 0)::bigint AS done_since,
    (SELECT count(*) FROM (SELECT 1 FROM run_state WHERE status NOT IN
        ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked', 'done', 'failed', 'cancelled') LIMIT %(cap)s + 1) x) AS other
FROM run_tally WHERE since = '-infinity' OR since >= %(since)s
