-- checking/stale
-- Of some runs, items and results that were written under an epoch after a higher one had begun:
-- a write by an owner that had lost the run. Writers hold the row's lock, so times decide.
SELECT w.run_id, w.what, w.id, w.epoch, t.id AS row_id, t.epoch AS later
FROM (SELECT i.run_id, 'item' AS what, i.id, i.epoch, i.at FROM run_item AS i WHERE i.run_id = ANY (%(run_ids)s::text[])
      UNION ALL
      SELECT o.run_id, 'result', o.id, o.epoch, o.at FROM run_output AS o
      WHERE o.run_id = ANY (%(run_ids)s::text[]) AND o.kind = 'result') AS w
JOIN LATERAL (SELECT l.id, l.epoch FROM run_transition AS l
              WHERE l.run_id = w.run_id AND l.epoch > w.epoch AND l.at < w.at AND l.cursor_before IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM run_transition AS late WHERE late.run_id = w.run_id AND late.kind = 'landed_late'
                                AND late.at BETWEEN w.at - interval '1 second' AND w.at + interval '1 second')
              ORDER BY l.id LIMIT 1) AS t ON true
ORDER BY w.run_id, w.id
