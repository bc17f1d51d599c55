-- report
-- A worker that lost a run tells what it did or noticed: commit_refused or loss_noticed. A report
-- moves no run. The result it could not record is kept, and an unprotected effect that had been
-- sent opens or joins a case.
--
-- Returns nothing of use; writes nothing where the run is gone.
WITH told AS (
    INSERT INTO run_transition (run_id, kind, epoch, generation, cursor_before, cursor_after, owner_before, owner_after, attempt, build, reason)
    SELECT r.run_id, %(kind)s, %(epoch)s, r.generation, %(expected)s::jsonb, %(onward)s::jsonb, %(owner)s, r.lease_owner,
           %(attempt)s, %(build)s, %(reason)s
    FROM run_state AS r WHERE r.run_id = %(run_id)s
), kept AS (
    INSERT INTO run_output (run_id, step, item, generation, epoch, attempt, kind, value)
    SELECT r.run_id, %(step)s, %(expected)s::jsonb->>'item', r.generation, %(epoch)s, %(attempt)s, 'refused', %(result)s::jsonb
    FROM run_state AS r WHERE r.run_id = %(run_id)s AND %(result)s::jsonb IS NOT NULL
)
SELECT CASE WHEN %(kind)s = 'commit_refused' AND run_unprotected('started', r.workflow, %(expected)s::jsonb)
       THEN run_open_doubt(r, %(expected)s::jsonb, %(owner)s, %(epoch)s, NULL,
                           'A worker that had lost the run reported this call as done.', '') END AS case_id
FROM run_state AS r WHERE r.run_id = %(run_id)s
