-- triggers_off
-- For this session: the log's rows are made beside the runs, with times of their own. Takes a superuser.
SET session_replication_role = replica
