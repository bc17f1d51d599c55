-- pulse
-- Note that a recurring duty has run. Returns nothing.
INSERT INTO run_pulse (name, at, detail) VALUES (%(name)s, coalesce(%(at)s::timestamptz, clock_timestamp()), %(detail)s::jsonb)
ON CONFLICT (name) DO UPDATE SET at = greatest(run_pulse.at, EXCLUDED.at), detail = EXCLUDED.detail
