-- sigterm
-- A process was told to end. It joins its build's open drain by signal, or opens one; both in one
-- statement, so that forty at once make one drain.
WITH me AS (
    UPDATE run_worker SET sigterm_at = coalesce(sigterm_at, clock_timestamp()) WHERE owner = %(owner)s RETURNING owner, build
), drain AS (
    INSERT INTO run_drain (build, actor, reason) SELECT build, 'SIGTERM', 'The orchestrator stops this build.' FROM me
    ON CONFLICT (build) WHERE ended_at IS NULL AND actor = 'SIGTERM' DO UPDATE SET reason = EXCLUDED.reason
    RETURNING id
)
INSERT INTO run_drain_bound (drain_id, owner) SELECT drain.id, me.owner FROM drain, me
ON CONFLICT (drain_id, owner) DO NOTHING
