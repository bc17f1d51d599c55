-- What a person asked for in words, as conditions on facts f. Each parameter is null where nobody asked, and
-- the driver writes values into the text, so that a condition nobody asked for is gone before it is planned.
-- Patterns are LIKE patterns, escaped, with a %% at their end where a beginning was asked for. Spans are seconds.
-- Labels are asked for row by row: a join would tempt the planner to gather half of the table first.
(%(at)s::text[] IS NULL OR f.workflow || '/' || f.step = ANY (%(at)s) OR lower(f.step) = %(step)s)
    AND (%(order)s::text IS NULL OR lower(f.order_ref) || '' LIKE %(order)s)
    AND (%(run)s::text IS NULL OR f.run_id = %(run)s)
    AND (%(worker)s::text IS NULL OR lower(f.lease_owner) LIKE %(worker)s OR lower(split_part(f.lease_owner, '#', 1)) LIKE %(worker)s)
    AND (%(build)s::text IS NULL OR (SELECT lower(w.build) LIKE %(build)s FROM run_worker w WHERE w.owner = f.lease_owner))
    AND (%(labels)s::jsonb IS NULL OR (
        SELECT bool_and(coalesce((SELECT l.folded LIKE want.value FROM run_label l WHERE l.run_id = f.run_id AND l.name = want.name), false))
        FROM jsonb_to_recordset(%(labels)s::jsonb) AS want(name text, value text)))
    AND (%(still_over)s::float8 IS NULL OR f.now - f.updated_at > %(still_over)s * interval '1 second')
    AND (%(still_under)s::float8 IS NULL OR f.now - f.updated_at < %(still_under)s * interval '1 second')
    AND (%(due_over)s::float8 IS NULL OR f.due_at - f.now > %(due_over)s * interval '1 second')
    AND (%(due_under)s::float8 IS NULL OR f.due_at - f.now < %(due_under)s * interval '1 second')
