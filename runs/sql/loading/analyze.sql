-- analyze
-- The planner is to know of what was just made.
ANALYZE run_state, run_transition, run_label, run_doubt
