-- commit_items
-- Record finished items of a looping step and mark the next one begun, in one statement.
--
-- Demands the fence. items is an array of {item, result}; onward is the same step with the next
-- item. A move of the item alone is not logged: run_item tells it. Progress clears the lapses.
--
-- Returns null, or the cursor that stands where a mark stopped the loop; no row if lost.
WITH moved AS (
    UPDATE run_state AS r
    SET cursor = CASE
            WHEN r.signals ? 'marks' THEN run_honour(r.signals, %(onward)s::jsonb - 'item')
            WHEN EXISTS (SELECT 1 FROM run_emergency_hold h WHERE h.lifted_at IS NULL AND h.workflow IN ('', r.workflow)
                         AND h.step IN ('', r.step) AND h.vendor IN ('', %(vendor)s))
                THEN %(onward)s::jsonb - '{guard,amount}'::text[] || '{"status": "pending", "item": null}'
            ELSE %(onward)s::jsonb END,
        signals = CASE WHEN r.signals = '{}' THEN r.signals ELSE run_after(r.signals, '{}', true) END,
        lapses = '{}',
        lease_owner = CASE WHEN %(ttl)s::float8 IS NOT NULL THEN r.lease_owner END,
        lease_expires_at = clock_timestamp() + %(ttl)s::float8 * interval '1 second'
    WHERE r.run_id = %(run_id)s AND r.lease_owner = %(owner)s AND r.epoch = %(epoch)s
      AND r.cursor = %(expected)s::jsonb AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
    RETURNING r.run_id, r.step, r.generation, r.epoch, CASE WHEN r.cursor <> %(onward)s::jsonb THEN r.cursor END AS stopped_at
), kept AS (
    INSERT INTO run_item (run_id, step, item, generation, epoch, attempt, result)
    SELECT m.run_id, m.step, i.item, m.generation, m.epoch, %(attempt)s, i.result
    FROM moved AS m, jsonb_to_recordset(%(items)s::jsonb) AS i(item text, result jsonb)
)
SELECT stopped_at FROM moved
