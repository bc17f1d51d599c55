-- deploys
-- Drains that bound one of these workers since a moment: when each was marked and of what. Few drains are ever open,
-- and old ones are left out by their time.
SELECT d.id, d.build, d.node, d.marked_at FROM run_drain d
WHERE d.marked_at >= %(since)s
  AND EXISTS (SELECT 1 FROM run_drain_bound b WHERE b.drain_id = d.id AND b.owner = ANY (%(owners)s))
ORDER BY d.marked_at DESC LIMIT 10
