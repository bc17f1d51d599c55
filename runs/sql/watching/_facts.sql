-- The facts that decide a run's word (runs/words.py), as a CTE over run_state. Rows, counters and
-- filters all include this text, so that they cannot disagree.
--
-- %(steps)s is a JSON array of {workflow, step, slow_after, promise_seconds}: what is unusual for a
-- step and how long the promise lasts while the run still stands at it. Payloads (completed, input)
-- are never read here, and a timestamp outside the calendar that Python knows reads as absent.
--
-- Not materialized: a statement may look at it more than once, and each look has an index of its own.
clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
pace AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(steps)s::jsonb)
        AS p(workflow text, step text, slow_after double precision, promise_seconds double precision)
),
facts AS NOT MATERIALIZED (
    SELECT r.run_id, r.workflow, r.order_ref, r.status, r.step, r.epoch, r.seen_epoch, r.generation, r.entered_generation,
        r.cursor, r.signals, r.lease_owner, r.lease_expires_at, r.wake_at, r.created_at, r.updated_at, clock.now,
        CASE WHEN r.lease_owner IS NULL OR r.lease_expires_at IS NULL THEN 'none'
             WHEN r.lease_expires_at > clock.now THEN 'good' ELSE 'lapsed' END AS lease,
        CASE WHEN r.wake_at IS NULL THEN 'none' WHEN r.wake_at > clock.now THEN 'ahead' ELSE 'past' END AS wake,
        coalesce(run_attempt(r.cursor), 0) > 0 AS tried,
        pace.slow_after IS NOT NULL AS paced,
        coalesce(clock.now - r.updated_at > pace.slow_after * interval '1 second', false) AS slow,
        coalesce(clock.now - r.created_at > pace.promise_seconds * interval '1 second', false)
            AND r.status NOT IN ('done', 'failed', 'cancelled') AS late,
        r.seen_epoch IS NOT DISTINCT FROM r.epoch AND r.status = 'failed' AS seen,
        CASE WHEN r.status NOT IN ('done', 'failed', 'cancelled')
             THEN r.created_at + pace.promise_seconds * interval '1 second' END AS due_at
    FROM run_state r CROSS JOIN clock LEFT JOIN pace ON pace.workflow = r.workflow AND pace.step = r.step
)
