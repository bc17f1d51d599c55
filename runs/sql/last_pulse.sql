-- last_pulse
-- When a duty last ran (long ago where never), and the database's time.
SELECT coalesce((SELECT at FROM run_pulse WHERE name = %(name)s), 'epoch'::timestamptz) AS at, clock_timestamp() AS now
