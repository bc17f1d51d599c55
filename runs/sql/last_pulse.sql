-- last_pulse
-- When a duty last ran (long ago where never), and the database's time.
-- serving tells how many live workers may claim: without one a message would only age in the queue.
SELECT coalesce((SELECT at FROM run_pulse WHERE name = %(name)s), 'epoch'::timestamptz) AS at, clock_timestamp() AS now,
       (SELECT count(*) FROM run_worker AS w WHERE w.stopped_at IS NULL AND w.gone_at IS NULL
               AND w.last_beat_at > clock_timestamp() - w.ttl_seconds * interval '1 second'
               AND NOT run_draining(w.owner)) AS serving
