-- durations
-- When each step of one run was begun and completed last, and how often begun, since the run came in:
-- a rewound run shows its present doing, and a run_id that was deleted and used again its present run.
WITH came_in AS (
    SELECT coalesce(max(id), 0) AS id FROM run_transition WHERE run_id = %(run_id)s AND kind = 'started_run'
)
SELECT step, max(began) AS began_at, max(completed) AS completed_at, count(began) AS attempts
FROM (
    SELECT t.began_step AS step, t.at AS began, NULL::timestamptz AS completed
    FROM run_transition t, came_in WHERE t.run_id = %(run_id)s AND t.id >= came_in.id AND t.began_step IS NOT NULL
    UNION ALL
    SELECT t.completed_step, NULL, t.at
    FROM run_transition t, came_in WHERE t.run_id = %(run_id)s AND t.id >= came_in.id AND t.completed_step IS NOT NULL
) moves
GROUP BY step
