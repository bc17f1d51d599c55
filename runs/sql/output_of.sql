-- output_of
-- One value of run_output, as text.
SELECT value::text AS value, raw FROM run_output WHERE id = %(output_id)s AND run_id = %(run_id)s
