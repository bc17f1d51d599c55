-- durations
-- When each step of one run was begun and completed last, and how often begun, since the run came in: a rewound run
-- shows its present doing, and a run_id that was deleted and used again its present run. Of the newest %(most)s rows
-- of its log; a run with more has gone round so often that its oldest steps tell nothing.
WITH recent AS MATERIALIZED (
    SELECT t.id, t.kind, t.at, t.began_step, t.completed_step FROM run_transition t
    WHERE t.run_id = %(run_id)s ORDER BY t.id DESC LIMIT %(most)s
),
came_in AS (SELECT coalesce(max(id), 0) AS id FROM recent WHERE kind = 'started_run')
SELECT step, max(began) AS began_at, max(completed) AS completed_at, count(began) AS attempts
FROM (
    SELECT t.began_step AS step, t.at AS began, NULL::timestamptz AS completed
    FROM recent t, came_in WHERE t.id >= came_in.id AND t.began_step IS NOT NULL
    UNION ALL
    SELECT t.completed_step, NULL, t.at
    FROM recent t, came_in WHERE t.id >= came_in.id AND t.completed_step IS NOT NULL
) moves
GROUP BY step
