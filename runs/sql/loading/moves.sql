-- moves
-- What the chunk's runs of the last days have done, a row a move, each beginning at the cursor at
-- which the one before it ended: came in, claimed, begun, then one commit a step. The last move
-- leaves the run where it stands. Older runs have none, as if their months had been retired.
--
-- at numbers a run's moves from 0; move 2 + i records step i.
CREATE TEMPORARY TABLE load_move ON COMMIT DROP AS
WITH moves AS (
    SELECT r.run_id, r.n, at, at = r.place + 2 AS is_last, greatest(1, least(at - 1, r.steps)) AS number,
           CASE WHEN at = r.place + 2 THEN r.status WHEN at < 2 THEN 'pending' ELSE 'started' END AS status,
           r.created_at + interval '1 second' * r.took * greatest(at - 1, 0) AS moved_at,
           'load-' || r.n %% 40 || '#0000aa' AS owner
    FROM load_run AS r, generate_series(0, r.place + 2) AS at
    WHERE r.created_at > clock_timestamp() - interval '1 day' * %(log_days)s
), told AS (
    SELECT m.*, pg_temp.load_cursor(%(steps)s::text[], %(guards)s::text[], number, status) AS cursor_after FROM moves AS m
)
SELECT t.*, lag(cursor_after) OVER (PARTITION BY run_id ORDER BY at) AS cursor_before FROM told AS t
