-- wait
-- Park a pure step until a time or a signal; nobody holds the lease meanwhile.
--
-- Demands the fence. wait_seconds null waits for the signal alone. A signal that arrived before
-- this statement got the row makes it due at once: parking and signalling are writes to the same
-- row, so neither can miss the other.
--
-- Returns null, or the cursor that stands where a mark was honoured instead; no row if lost.
UPDATE run_state AS r
SET cursor = CASE WHEN r.signals ? 'marks' THEN run_honour(r.signals, %(onward)s::jsonb) ELSE %(onward)s::jsonb END,
    signals = CASE WHEN r.signals ? 'marks' THEN r.signals - 'marks' ELSE r.signals END,
    wake_at = CASE WHEN %(wanted)s::text IS NOT NULL AND run_has_signal(r.signals, %(wanted)s, r.step, r.generation)
                   THEN clock_timestamp()
                   ELSE clock_timestamp() + %(wait_seconds)s::float8 * interval '1 second' END
WHERE r.run_id = %(run_id)s AND r.lease_owner = %(owner)s AND r.epoch = %(epoch)s
  AND r.cursor = %(expected)s::jsonb AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING CASE WHEN r.cursor <> %(onward)s::jsonb THEN r.cursor END AS stopped_at
