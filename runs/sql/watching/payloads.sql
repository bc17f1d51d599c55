-- payloads
-- What a run holds, by name and size; nothing of it is read. A size is given where reckoning it is cheap: of what
-- takes more than a megabyte on disk only that is said. Of many results, %(limit)s are named and all are counted; a
-- step's name is short, and what is longer is not named.
WITH run AS (
    SELECT r.input, r.signals, CASE WHEN jsonb_typeof(r.completed) = 'object' THEN r.completed ELSE '{}' END AS completed,
        pg_column_size(r.input) < 1000000 AS small_input, pg_column_size(r.completed) < 1000000 AS small_results
    FROM run_state r WHERE r.run_id = %(run_id)s
)
SELECT CASE WHEN run.small_input THEN octet_length(run.input::text) END AS input_bytes,
    CASE WHEN jsonb_typeof(run.signals->'told') = 'array' THEN jsonb_array_length(run.signals->'told') ELSE 0 END AS told_count,
    (SELECT count(*) FROM jsonb_object_keys(run.completed)) AS result_count,
    CASE WHEN run.small_results
        THEN (SELECT jsonb_agg(jsonb_build_array(e.key, coalesce(e.value#>>'{_output,bytes}', octet_length(e.value::text)::text)))
              FROM (SELECT * FROM jsonb_each(run.completed) WHERE length(key) <= 200 LIMIT %(limit)s) e)
        ELSE (SELECT jsonb_agg(jsonb_build_array(k.name, NULL))
              FROM (SELECT name FROM jsonb_object_keys(run.completed) AS name WHERE length(name) <= 200 LIMIT %(limit)s) k) END AS results
FROM run
