-- lift_emergency_hold
-- Lift one, or every one where hold_id is null. The runs it stopped are due at the next sweep.
UPDATE run_emergency_hold SET lifted_at = clock_timestamp(), lifted_by = %(actor)s
WHERE lifted_at IS NULL AND (%(hold_id)s::bigint IS NULL OR id = %(hold_id)s)
RETURNING id
