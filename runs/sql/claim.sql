-- claim
-- Take a free or lapsed run for a worker process: epoch + 1, a new owner, a new lease.
--
-- Demands: pending or started with wake_at null or past, or waiting with wake_at past; no lease
-- or a lapsed one; no started effect that only its owner or a person may settle; a step that this
-- build knows; no emergency hold; an owner that no drain binds. A locked row is somebody else's
-- move and is skipped. A run that lost two workers already goes only to a process that holds no
-- other such run, so that a poisonous one dies alone; the third lapse, by a second owner, blocks.
--
-- Marks are honoured instead of claiming, except on a started effect: it is settled first.
--
-- Returns the run; its lease_owner is not this owner where a mark or the third lapse parked it.
-- No row: nothing to take.
WITH free AS (
    SELECT r.run_id, r.lapses || CASE WHEN r.lease_owner IS NOT NULL AND NOT run_draining(r.lease_owner)
                                      THEN ARRAY[r.lease_owner] ELSE '{}' END AS lapses,
           r.signals ? 'marks' AND (r.status <> 'started' OR coalesce(r.cursor->>'guard', '') = 'pure') AS marked
    FROM run_state AS r
    WHERE r.run_id = %(run_id)s AND r.workflow <> ''
      AND r.status IN ('pending', 'started', 'waiting')
      AND (r.wake_at <= clock_timestamp() OR (r.wake_at IS NULL AND r.status <> 'waiting'))
      AND (r.lease_owner IS NULL OR r.lease_expires_at IS NULL OR r.lease_expires_at < clock_timestamp())
      AND NOT run_unprotected(r.status, r.workflow, r.cursor)
      AND %(vendors)s::jsonb ? (r.workflow || '/' || r.step)
      AND NOT EXISTS (SELECT 1 FROM run_emergency_hold h WHERE h.lifted_at IS NULL AND h.workflow IN ('', r.workflow)
                      AND h.step IN ('', r.step) AND h.vendor IN ('', %(vendors)s::jsonb->>(r.workflow || '/' || r.step)))
      AND NOT run_draining(%(owner)s)
    FOR NO KEY UPDATE SKIP LOCKED
), judged AS (
    SELECT f.*, cardinality(f.lapses) >= 3 AND (SELECT count(DISTINCT o) FROM unnest(f.lapses) AS o) >= 2 AS poison
    FROM free AS f
    WHERE cardinality(f.lapses) < 2 OR NOT EXISTS (
        SELECT 1 FROM run_state AS other
        WHERE other.status IN ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked')
          AND other.lease_owner = %(owner)s AND other.lease_expires_at > clock_timestamp()
          AND cardinality(other.lapses) >= 2)
)
UPDATE run_state AS r
SET epoch = r.epoch + 1,
    lease_owner = CASE WHEN NOT j.poison AND NOT j.marked THEN %(owner)s END,
    lease_expires_at = CASE WHEN NOT j.poison AND NOT j.marked THEN clock_timestamp() + %(ttl)s::float8 * interval '1 second' END,
    wake_at = NULL,
    lapses = j.lapses,
    signals = CASE WHEN j.marked THEN r.signals - 'marks' ELSE r.signals END,
    cursor = CASE
        WHEN j.marked THEN run_honour(r.signals, r.cursor)
        WHEN j.poison THEN r.cursor || jsonb_build_object('status', 'blocked', 'reason',
            'Its worker died here ' || cardinality(j.lapses) || ' times; held until someone looks.')
        WHEN r.status = 'waiting' THEN r.cursor || '{"status": "pending"}'
        ELSE r.cursor END
FROM judged AS j
WHERE r.run_id = j.run_id AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.run_id, r.workflow, r.epoch, r.cursor, r.completed, r.input, r.lease_owner, r.generation, r.entered_generation,
    r.first_started_at, r.may_send_until, r.signals, r.lapses, clock_timestamp() AS claimed_at
