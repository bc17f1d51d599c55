-- acknowledge
-- A bound worker says that its gate is shut and every claim in flight has been answered.
UPDATE run_drain_bound AS b SET acknowledged_at = clock_timestamp()
FROM run_drain AS d
WHERE b.owner = %(owner)s AND b.acknowledged_at IS NULL AND d.id = b.drain_id AND d.ended_at IS NULL
