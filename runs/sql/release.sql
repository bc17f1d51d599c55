-- release
-- Give a lease back, epoch unchanged, so that the next worker need not wait for it to lapse.
--
-- Demands the fence. onward may take back only a start mark of this owner and epoch whose body
-- has not begun: the caller knows that, nobody else can.
--
-- Returns null, or the cursor that stands where a mark was honoured instead; no row if lost.
UPDATE run_state AS r
SET cursor = CASE WHEN r.signals ? 'marks' AND %(onward)s::jsonb->>'status' = 'pending'
                  THEN run_honour(r.signals, %(onward)s::jsonb) ELSE %(onward)s::jsonb END,
    signals = CASE WHEN r.signals ? 'marks' AND %(onward)s::jsonb->>'status' = 'pending' THEN r.signals - 'marks' ELSE r.signals END,
    lease_owner = NULL,
    lease_expires_at = NULL
WHERE r.run_id = %(run_id)s AND r.lease_owner = %(owner)s AND r.epoch = %(epoch)s
  AND r.cursor = %(expected)s::jsonb AND set_config('leaseboard.by', %(by)s, true) IS NOT NULL
RETURNING CASE WHEN r.cursor <> %(onward)s::jsonb THEN r.cursor END AS stopped_at
