-- cases
-- The cases of one run that are open, newest first: which call, since when, and what is known.
SELECT d.id, d.step, d.item, d.generation, d.reason, d.opened_by, d.opened_at, d.attempts, d.amount, d.currency, d.known
FROM run_doubt d WHERE d.run_id = %(run_id)s AND d.closed_at IS NULL ORDER BY d.id DESC LIMIT 20
