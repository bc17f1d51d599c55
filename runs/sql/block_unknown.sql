-- block_unknown
-- Block the runs that stand on a step which no live build knows: only while live, unbound workers
-- serve their workflow, and none that knew the step has been alive for ten unbroken minutes. No
-- live worker at all is an alert, not a block.
WITH serving AS (
    SELECT c.workflow, w.owner, w.last_beat_at, (w.stopped_at IS NULL AND w.gone_at IS NULL AND NOT run_draining(w.owner)
           AND w.last_beat_at > clock_timestamp() - 2 * w.ttl_seconds * interval '1 second') AS live,
           ARRAY(SELECT s->>'first_name' FROM jsonb_array_elements(c.body->'steps') AS s) AS steps
    FROM run_catalogue AS c JOIN run_worker AS w ON w.build = c.build
), stuck AS (
    SELECT r.run_id, (SELECT string_agg(DISTINCT k, ', ') FROM serving s, unnest(s.steps) AS k WHERE s.workflow = r.workflow AND s.live) AS known
    FROM run_state AS r
    WHERE r.status IN ('pending', 'started') AND r.workflow <> ''
      AND (r.lease_owner IS NULL OR r.lease_expires_at < clock_timestamp())
      AND r.updated_at < clock_timestamp() - %(patience)s::float8 * interval '1 second'
      AND NOT run_unprotected(r.status, r.workflow, r.cursor)
      AND EXISTS (SELECT 1 FROM serving s WHERE s.workflow = r.workflow AND s.live)
      AND NOT EXISTS (SELECT 1 FROM serving s WHERE s.workflow = r.workflow AND r.step = ANY (s.steps)
                      AND (s.live OR s.last_beat_at > clock_timestamp() - %(patience)s::float8 * interval '1 second'))
    FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE run_state AS r
SET epoch = r.epoch + 1, lease_owner = NULL, lease_expires_at = NULL,
    cursor = r.cursor || jsonb_build_object('status', 'blocked', 'unknown_step', true, 'reason',
        'No live build knows step ''' || r.step || ''' (known: ' || coalesce(s.known, 'none') || ').')
FROM stuck AS s WHERE r.run_id = s.run_id AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.run_id
