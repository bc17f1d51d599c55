-- emergency_hold
-- Stop a step, a vendor or a whole workflow from being begun anywhere. Changes no run: claim,
-- begin and the commits read this row, and workers hear of it at their next heartbeat.
INSERT INTO run_emergency_hold (workflow, step, vendor, actor, reason)
VALUES (%(workflow)s, %(step)s, %(vendor)s, %(actor)s, %(reason)s)
RETURNING id
