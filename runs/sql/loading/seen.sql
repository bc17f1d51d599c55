-- seen
-- Who saw the chunk's older failures. The newest ones, among the unfinished, nobody has seen.
INSERT INTO run_seen (run_id, epoch, seen_by, seen_at)
SELECT s.run_id, s.seen_epoch, 'load_runs', s.updated_at FROM load_run AS r JOIN run_state AS s USING (run_id)
WHERE s.seen_epoch IS NOT NULL
