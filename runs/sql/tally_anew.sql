-- tally_anew
-- Count the ended runs from the rows themselves, and note from where in the log the fold goes on. For the
-- first time, and once a day, since a load or a hand may have made runs that the log does not tell of.
--
-- Goes in by the index of ended runs. What moved above the position noted is in the count already and will be
-- folded again, so it is taken off here. Returns nothing; does nothing where another fold is at work, or where
-- the last count is younger than %(every)s seconds.
WITH due AS MATERIALIZED (
    SELECT 1 WHERE pg_try_advisory_xact_lock(hashtext('run_tally')) AND NOT EXISTS (
        SELECT 1 FROM run_pulse WHERE name = 'tally'
            AND (detail->>'counted')::float8 > extract(epoch FROM clock_timestamp()) - %(every)s::float8)
), ends AS (
    SELECT unnest(ARRAY['done', 'failed', 'cancelled']) AS status FROM due
), late AS (
    SELECT e.status, count(*) FILTER (WHERE t.cursor_after->>'status' = e.status) - count(*) FILTER (WHERE t.cursor_before->>'status' = e.status) AS runs
    FROM ends AS e JOIN run_transition AS t
        ON (t.incarnation, t.xid) >= ((SELECT incarnation FROM run_incarnation), pg_snapshot_xmin(pg_current_snapshot()))
       AND (t.cursor_after->>'status' = e.status) IS DISTINCT FROM (t.cursor_before->>'status' = e.status)
    GROUP BY 1
), counts AS (
    SELECT e.status, '-infinity'::timestamptz AS since,
           (SELECT count(*) FROM run_state AS r WHERE r.status = e.status AND r.status IN ('done', 'failed', 'cancelled')) - coalesce(l.runs, 0) AS runs
    FROM ends AS e LEFT JOIN late AS l USING (status)
    UNION ALL
    SELECT r.status, date_bin('15 minutes', r.updated_at, '2000-01-01 00:00+00'), count(*)
    FROM due, run_state AS r
    WHERE r.created_at > now() - interval '3 days' AND r.status IN ('done', 'failed', 'cancelled')
      AND r.updated_at > now() - interval '3 days' AND isfinite(r.updated_at)
    GROUP BY 1, 2
), wiped AS (
    DELETE FROM run_tally AS t USING due WHERE (t.status, t.since) NOT IN (SELECT status, since FROM counts)
), written AS (
    INSERT INTO run_tally AS t (status, since, runs) SELECT status, since, runs FROM counts
    ON CONFLICT (status, since) DO UPDATE SET runs = EXCLUDED.runs
)
INSERT INTO run_pulse (name, detail)
SELECT 'tally', jsonb_build_object('incarnation', (SELECT incarnation FROM run_incarnation),
    'xid', pg_snapshot_xmin(pg_current_snapshot())::text, 'id', 0,
    'counted', extract(epoch FROM clock_timestamp()))
FROM due
ON CONFLICT (name) DO UPDATE SET at = clock_timestamp(), detail = EXCLUDED.detail
