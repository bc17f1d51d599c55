-- unblock_known
-- Lift by itself what block_unknown blocked, once a live build knows the step again.
UPDATE run_state AS r
SET epoch = r.epoch + 1, cursor = (r.cursor - '{unknown_step,reason}'::text[]) ||
    CASE WHEN r.cursor->>'guard' IS NULL THEN '{"status": "pending"}'::jsonb ELSE '{"status": "started"}'::jsonb END
WHERE r.status = 'blocked' AND r.cursor ? 'unknown_step'
  AND EXISTS (SELECT 1 FROM run_catalogue c JOIN run_worker w ON w.build = c.build
              WHERE c.workflow = r.workflow AND w.stopped_at IS NULL AND w.gone_at IS NULL
                AND w.last_beat_at > clock_timestamp() - 2 * w.ttl_seconds * interval '1 second'
                AND c.body->'steps' @> jsonb_build_array(jsonb_build_object('first_name', r.step)))
  AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING r.run_id
