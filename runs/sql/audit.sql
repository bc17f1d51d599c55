-- audit
-- Write down what a person did or tried, in the transaction of the change itself.
--
-- pause: seconds in which the same denial of the same person is not written again, or null. A page
-- that keeps asking would fill the book otherwise.
--
-- Returns id and at; no row for such a repetition.
INSERT INTO run_audit (actor, role, via, deed, run_id, order_ref, outcome, before, after, reason, told)
SELECT %(actor)s, %(role)s, %(via)s, %(deed)s, %(run_id)s, %(order_ref)s, %(outcome)s, %(before)s::jsonb, %(after)s::jsonb, %(reason)s, %(told)s
WHERE %(pause)s::double precision IS NULL OR NOT EXISTS (
    SELECT 1 FROM run_audit AS a
    WHERE a.actor = %(actor)s AND a.deed = %(deed)s AND a.run_id = %(run_id)s AND a.outcome = %(outcome)s AND a.told = %(told)s
      AND a.at > clock_timestamp() - %(pause)s * interval '1 second')
RETURNING id, at
