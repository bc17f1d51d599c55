-- claimed
-- The run as claim returns it, where this owner holds it: how a claim whose answer was lost is
-- found again. No row where it did not take effect, nor on a started effect that nothing can settle:
-- no claim ever took one, so that lease is older than the question.
SELECT run_id, workflow, epoch, cursor, completed, input, lease_owner, generation, entered_generation,
    first_started_at, may_send_until, signals, lapses, clock_timestamp() AS claimed_at
FROM run_state WHERE run_id = %(run_id)s AND lease_owner = %(owner)s AND NOT run_unprotected(status, workflow, cursor)
