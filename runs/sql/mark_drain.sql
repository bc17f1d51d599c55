-- mark_drain
-- Mark the processes that must stop claiming: those of a build, a list of owners, or a node, that
-- are alive now. Processes that boot later are free, so a roll-back claims at once.
--
-- Returns the drain and how many it binds.
WITH drain AS (
    INSERT INTO run_drain (build, node, actor, reason) VALUES (%(build)s, %(node)s, %(actor)s, %(reason)s) RETURNING id
), bound AS (
    INSERT INTO run_drain_bound (drain_id, owner)
    SELECT drain.id, w.owner FROM drain, run_worker AS w
    WHERE w.stopped_at IS NULL AND w.gone_at IS NULL
      AND w.last_beat_at > clock_timestamp() - interval '1 hour'
      AND ((%(build)s <> '' AND w.build = %(build)s) OR (%(node)s <> '' AND w.node = %(node)s)
           OR w.owner = ANY (%(owners)s::text[]) OR w.name = ANY (%(owners)s::text[]))
    RETURNING owner
)
SELECT drain.id, (SELECT count(*) FROM bound) AS bound FROM drain
