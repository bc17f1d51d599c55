-- revive
-- A process that was declared gone beats again: it was only silent, and says so.
UPDATE run_worker SET gone_at = NULL, gone_by = NULL WHERE owner = %(owner)s AND gone_at IS NOT NULL AND gone_by = 'rule'
