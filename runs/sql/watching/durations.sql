-- durations
-- When each step of one run was begun first, completed last, and how often begun: the newest doing
-- of a step counts, so that a rewound run shows its present one.
SELECT step, max(began) AS began_at, max(completed) AS completed_at, count(began) AS attempts
FROM (
    SELECT t.began_step AS step, t.at AS began, NULL::timestamptz AS completed
    FROM run_transition t WHERE t.run_id = %(run_id)s AND t.began_step IS NOT NULL
    UNION ALL
    SELECT t.completed_step, NULL, t.at
    FROM run_transition t WHERE t.run_id = %(run_id)s AND t.completed_step IS NOT NULL
) moves
GROUP BY step
