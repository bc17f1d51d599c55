-- ticket
-- What a person is shown of where a run stands, to be brought back by the form: epoch and position
-- (item apart), the newest row of its log, and the time. The position is told by its hash alone,
-- since a cursor may quote an error that nobody's page may show.
--
-- Returns one row; none where there is no such run.
SELECT r.run_id, r.epoch, md5(run_position(r.cursor)::text) AS place, r.step, r.status, r.cursor, clock_timestamp() AS at,
    coalesce((SELECT t.id FROM run_transition AS t WHERE t.run_id = r.run_id ORDER BY t.id DESC LIMIT 1), 0) AS log_id
FROM run_state AS r WHERE r.run_id = %(run_id)s
