-- outputs
-- What stands beside the row of one run: errors with their tracebacks, results that were refused, displaced or could
-- not be stored. Newest first, one row more than %(limit)s where there are further ones; the values are not read.
SELECT o.id, o.step, o.item, o.kind, o.attempt, o.epoch, o.at,
    coalesce(octet_length(o.raw), pg_column_size(o.value)) AS bytes
FROM run_output o WHERE o.run_id = %(run_id)s AND o.kind <> 'result'
ORDER BY o.id DESC LIMIT %(limit)s + 1
