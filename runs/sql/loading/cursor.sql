-- cursor
-- Where a made-up run stands, as a worker would have written it. For this session only.
CREATE OR REPLACE FUNCTION pg_temp.load_cursor(steps text[], guards text[], number bigint, status text) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_build_object('step', steps[number], 'status', status, 'item', NULL,
                              'attempt', CASE WHEN status = 'pending' THEN 0 ELSE 1 END)
        || CASE WHEN status = 'started' THEN jsonb_build_object('guard', guards[number])
                WHEN status IN ('failed', 'blocked', 'held', 'in_doubt', 'cancelled')
                THEN jsonb_build_object('reason', 'Made by load_runs, to measure with.')
                WHEN status = 'waiting' THEN jsonb_build_object('signal', 'approve', 'may', 'manager')
                ELSE '{}' END
$$
