-- beat
-- A process reports itself with every heartbeat: the gap since its last one, its longest pause,
-- its clock's offset, the calls it is inside, and whether it has acknowledged its drain.
--
-- Returns the database's time, whether a drain binds it, and the emergency holds in force.
WITH heard AS (
    -- A second drain may bind a process that has acknowledged its first one already.
    UPDATE run_drain_bound AS b SET acknowledged_at = clock_timestamp() FROM run_drain AS d
    WHERE %(acknowledged)s AND b.owner = %(owner)s AND b.acknowledged_at IS NULL AND d.id = b.drain_id AND d.ended_at IS NULL
)
UPDATE run_worker AS w
SET last_beat_at = clock_timestamp(),
    -- The first beat follows the boot at once and tells of no gap.
    beats = CASE WHEN w.last_beat_at <= w.booted_at + interval '1 millisecond' THEN w.beats
                 ELSE (w.beats || round(extract(epoch FROM clock_timestamp() - w.last_beat_at)::numeric, 3)::float8)
                      [greatest(cardinality(w.beats) + 1 - 19, 1):] END,
    pause_seconds = greatest(w.pause_seconds, %(pause)s),
    offset_seconds = %(offset)s,
    inside = %(inside)s::jsonb,
    last_claim_at = greatest(w.last_claim_at, clock_timestamp() - %(since_claim)s::float8 * interval '1 second'),
    acknowledged_at = CASE WHEN %(acknowledged)s THEN coalesce(w.acknowledged_at, clock_timestamp()) END
WHERE w.owner = %(owner)s
RETURNING extract(epoch FROM clock_timestamp())::float8 AS now,
    run_draining(w.owner) AS draining, w.gone_at IS NOT NULL AS gone,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('workflow', h.workflow, 'step', h.step, 'vendor', h.vendor)), '[]')
     FROM run_emergency_hold AS h WHERE h.lifted_at IS NULL) AS holds
