-- take_over
-- A person takes a run from whoever holds it and gives it to nobody: epoch + 1, lease off. The
-- old owner's next write matches no row.
--
-- Demands an unfinished run at the epoch and the position (item apart) that the person saw. A
-- started effect that nothing can settle is held in doubt and its case opened here. even_held: the
-- person knows that its lease is good; without it, one that was renewed meanwhile is left alone.
--
-- Returns run_id, epoch, the owner before and case_id; no row if it has moved since.
WITH seen AS (
    SELECT r.run_id, r.cursor, r.lease_owner, run_unprotected(r.status, r.workflow, r.cursor) AS unknown FROM run_state AS r
    WHERE r.run_id = %(run_id)s AND r.epoch = %(epoch)s AND run_position(r.cursor) = run_position(%(expected)s::jsonb)
      AND r.status IN ('pending', 'started', 'waiting')
      AND (%(even_held)s OR r.lease_owner IS NULL OR r.lease_expires_at <= clock_timestamp())
    FOR NO KEY UPDATE
), moved AS (
    UPDATE run_state AS r
    SET epoch = r.epoch + 1, lapses = '{}', lease_owner = NULL, lease_expires_at = NULL,
        cursor = CASE WHEN s.unknown THEN r.cursor || jsonb_build_object('status', 'in_doubt', 'reason',
                      'Taken over by ' || %(actor)s::text || ' while this call was under way.') ELSE r.cursor END
    FROM seen AS s WHERE r.run_id = s.run_id AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
    RETURNING r, s.cursor AS start_cursor, s.lease_owner AS owner_before, s.unknown
)
SELECT (m.r).run_id, (m.r).epoch, m.owner_before,
       CASE WHEN m.unknown THEN run_open_doubt(m.r, m.start_cursor, m.owner_before, (m.r).epoch - 1, (m.r).epoch,
            'Taken over while this call was under way.', '') END AS case_id
FROM moved AS m
