-- emergency_holds
-- The emergency holds in force, oldest first.
SELECT id, workflow, step, vendor, actor, reason, placed_at FROM run_emergency_hold WHERE lifted_at IS NULL ORDER BY id
