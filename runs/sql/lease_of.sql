-- lease_of
-- Who holds a run, at which epoch. No row where the run is gone.
SELECT lease_owner, epoch FROM run_state WHERE run_id = %(run_id)s
