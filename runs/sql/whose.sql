-- whose
-- After a fenced write matched no row: did mine land, and is the run still mine? Two questions,
-- one statement.
--
-- landed: a log row of my epoch with my cursor before it and my step completed, or the cursor that I
-- asked for after it (a row that moved neither cursor nor owner is a mark or a signal, and not mine),
-- or a row of run_item of my epoch for the item. moved: a later log row moved the cursor I expected.
--
-- Returns one row; absent is true where the run is gone.
SELECT r.run_id IS NULL AS absent,
       coalesce(r.lease_owner = %(owner)s AND r.epoch = %(epoch)s, false) AS mine,
       r.cursor = %(expected)s::jsonb AS as_expected,
       r.epoch, r.lease_owner, r.cursor, r.status,
       EXISTS (SELECT 1 FROM run_transition t WHERE t.run_id = %(run_id)s AND t.epoch = %(epoch)s
               AND run_position(t.cursor_before) = run_position(%(expected)s::jsonb)
               AND t.owner_before = %(owner)s
               AND (t.completed_step = %(step)s
                    OR (t.cursor_after = %(onward)s::jsonb
                        AND (t.cursor_after <> t.cursor_before OR t.owner_after IS DISTINCT FROM t.owner_before))))
       OR EXISTS (SELECT 1 FROM run_item i WHERE i.run_id = %(run_id)s AND i.step = %(step)s AND i.epoch = %(epoch)s
                  AND i.item = %(item)s) AS landed,
       EXISTS (SELECT 1 FROM run_transition t WHERE t.run_id = %(run_id)s
               AND t.kind NOT IN ('commit_refused', 'loss_noticed')
               AND run_position(t.cursor_before) = run_position(%(expected)s::jsonb)
               AND t.cursor_after <> t.cursor_before) AS moved_on
FROM (SELECT 1) AS one LEFT JOIN run_state AS r ON r.run_id = %(run_id)s
