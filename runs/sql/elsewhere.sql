-- elsewhere
-- A claim found nothing to take: is it a run that anybody may take, at a step that this build does not
-- know and another live build does? Then the message belongs there. Whether the run is free is for the
-- next claim to say.
--
-- Returns one row, or none.
SELECT r.run_id
FROM run_state AS r
WHERE r.run_id = %(run_id)s AND r.status IN ('pending', 'started', 'waiting')
  AND NOT %(vendors)s::jsonb ? (r.workflow || '/' || r.step)
  AND EXISTS (SELECT 1 FROM run_catalogue AS c JOIN run_worker AS w ON w.build = c.build
              WHERE c.workflow = r.workflow AND w.owner <> %(owner)s AND w.stopped_at IS NULL AND w.gone_at IS NULL
                AND w.last_beat_at > clock_timestamp() - w.ttl_seconds * interval '1 second' AND NOT run_draining(w.owner)
                AND c.body->'steps' @> jsonb_build_array(jsonb_build_object('first_name', r.step)))
