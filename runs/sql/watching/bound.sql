-- bound
-- Bound every statement of this transaction to %(seconds)s, or to less where the database says so already, and let
-- none read a table from end to end where it has an index. Returns the bound as it was.
SELECT was, set_config('enable_seqscan', 'off', true), set_config('statement_timeout', CASE
    WHEN was = '0' OR was::interval > %(seconds)s * interval '1 second' THEN round(%(seconds)s * 1000)::text ELSE was END, true)
FROM current_setting('statement_timeout') AS was
