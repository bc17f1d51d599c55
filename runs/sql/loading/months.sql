-- months
-- The log's partitions for the last days, as far as they are missing.
SELECT run_make_partition('run_transition_' || to_char(month, 'YYYY_MM'), month::date)
FROM generate_series(date_trunc('month', (clock_timestamp() - interval '1 day' * %(log_days)s) AT TIME ZONE 'UTC'),
                     date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC'), interval '1 month') AS month
WHERE to_regclass('run_transition_' || to_char(month, 'YYYY_MM')) IS NULL
