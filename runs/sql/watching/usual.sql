-- usual
-- How long each step took, over the newest %(rows)s rows of the log: the time from the row that
-- began the step to the next row of the same run, where that one completed it.
WITH recent AS MATERIALIZED (
    SELECT t.run_id, t.id, t.at, t.began_step, t.completed_step
    FROM run_transition t ORDER BY t.incarnation DESC, t.xid DESC, t.id DESC LIMIT %(rows)s
),
steps AS (
    SELECT run_id, completed_step AS step,
        extract(epoch FROM at - lag(at) OVER w) AS seconds, lag(began_step) OVER w AS began
    FROM recent WINDOW w AS (PARTITION BY run_id ORDER BY id)
)
SELECT r.workflow, s.step, count(*) AS samples,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds)::float8 AS p50,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY s.seconds)::float8 AS p95,
    percentile_cont(0.99) WITHIN GROUP (ORDER BY s.seconds)::float8 AS p99
FROM steps s JOIN run_state r USING (run_id)
WHERE s.step IS NOT NULL AND s.step = s.began
GROUP BY r.workflow, s.step
