-- items
-- How many items each step of one run has finished.
SELECT step, count(DISTINCT item) AS items FROM run_item WHERE run_id = %(run_id)s GROUP BY step
