-- tally
-- Fold the next rows of the log into how many runs came to each end: one that ended counts up, one that
-- left its end (retried, rewound, deleted) counts down, in all and in the quarter hour in which it moved.
--
-- Demands that the tally was begun (tally_anew). Reads below the oldest open transaction, as every reader of
-- the log does, so that no row is passed over; two folds at once are one, the other finds nothing to do.
--
-- Returns the number of rows read and the seconds since the rows themselves were counted; no row where another
-- fold is at work or the tally was never begun.
WITH mine AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext('run_tally')) AS got),
mark AS MATERIALIZED (
    SELECT (p.detail->>'incarnation')::integer AS incarnation, (p.detail->>'xid')::xid8 AS xid, (p.detail->>'id')::bigint AS id, p.detail
    FROM run_pulse AS p, mine WHERE p.name = 'tally' AND mine.got
), page AS MATERIALIZED (
    SELECT t.incarnation, t.xid, t.id, t.at, coalesce(t.cursor_before->>'status', '') AS was, coalesce(t.cursor_after->>'status', '') AS now
    FROM mark, LATERAL (
        SELECT * FROM run_transition AS t
        WHERE (t.incarnation, t.xid, t.id) > (mark.incarnation, mark.xid, mark.id) AND t.xid < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY t.incarnation, t.xid, t.id LIMIT %(page)s
    ) AS t
), moved AS (
    SELECT end_of.status, date_bin('15 minutes', p.at, '2000-01-01 00:00+00') AS since, sum(end_of.runs) AS runs
    FROM page AS p, LATERAL (VALUES (p.now, 1), (p.was, -1)) AS end_of(status, runs)
    WHERE p.was <> p.now AND end_of.status IN ('done', 'failed', 'cancelled')
    GROUP BY GROUPING SETS ((status), (status, since))
), counted AS (
    INSERT INTO run_tally AS t (status, since, runs) SELECT status, coalesce(since, '-infinity'), runs FROM moved
    ON CONFLICT (status, since) DO UPDATE SET runs = t.runs + EXCLUDED.runs
), dropped AS (
    DELETE FROM run_tally AS t USING mark WHERE t.since > '-infinity' AND t.since < clock_timestamp() - interval '3 days'
)
UPDATE run_pulse AS p
SET at = clock_timestamp(),
    detail = mark.detail || coalesce((SELECT jsonb_build_object('incarnation', incarnation, 'xid', xid::text, 'id', id)
                                      FROM page ORDER BY incarnation DESC, xid DESC, id DESC LIMIT 1), '{}')
FROM mark WHERE p.name = 'tally'
RETURNING (SELECT count(*) FROM page) AS read,
    (extract(epoch FROM clock_timestamp()) - (mark.detail->>'counted')::numeric)::float8 AS counted_before
