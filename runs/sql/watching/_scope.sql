-- The states that a list of any rows asks for, as conditions on facts f.
(%(statuses)s::text[] IS NULL OR f.status = ANY (%(statuses)s))
      AND (NOT %(odd)s OR f.status NOT IN ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked', 'done', 'failed', 'cancelled'))
      AND (NOT %(only_seen)s OR f.status <> 'failed' OR f.seen)
