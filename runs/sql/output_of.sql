-- output_of
-- The result that a pointer in completed stands for.
SELECT value FROM run_output
WHERE run_id = %(run_id)s AND step = %(step)s AND generation = %(generation)s AND epoch = %(epoch)s AND kind = 'result'
ORDER BY id DESC LIMIT 1
