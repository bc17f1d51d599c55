-- cases
-- An open case for each of the chunk's runs that is in doubt.
INSERT INTO run_doubt (run_id, step, item, generation, reason, owner, epoch, start_cursor, held_epoch, owners, amount, currency, opened_at)
SELECT r.run_id, s.step, NULL, 0, 'Made by load_runs, to measure with.', 'load-0#0000aa', 1,
    s.cursor || '{"status": "started", "guard": "unprotected"}', 1, '{load-0#0000aa}', r.amount, r.currency, s.updated_at
FROM load_run AS r JOIN run_state AS s USING (run_id) WHERE r.status = 'in_doubt'
