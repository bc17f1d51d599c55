-- item_calls
-- Finished items of one run by step and doing, and how many of them had been finished before, over the first %(most)s
-- of them. Goes in by the key of run_item.
SELECT i.step, i.generation, i.epoch, i.attempt, count(*) AS items, count(*) FILTER (WHERE i.place > 1) AS again,
    min(i.at) AS first_at, max(i.at) AS last_at
FROM (
    SELECT x.*, row_number() OVER (PARTITION BY x.step, x.item ORDER BY x.id) AS place
    FROM (SELECT step, item, generation, epoch, attempt, at, id FROM run_item WHERE run_id = %(run_id)s LIMIT %(most)s) x
) i
GROUP BY i.step, i.generation, i.epoch, i.attempt ORDER BY last_at LIMIT 200
