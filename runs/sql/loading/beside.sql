-- beside
-- What a load would stand beside: workers that live, and runs of the same seed.
SELECT (SELECT count(*) FROM run_worker WHERE stopped_at IS NULL AND gone_at IS NULL
        AND last_beat_at > clock_timestamp() - interval '1 minute') AS workers,
       EXISTS (SELECT 1 FROM run_state WHERE run_id = 'load_' || %(seed)s || '_1') AS loaded
