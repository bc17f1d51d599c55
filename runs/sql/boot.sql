-- boot
-- A worker process enters itself in the fleet before its first claim.
INSERT INTO run_worker (owner, name, build, host, pod, node, pid, threads, heartbeat_seconds, ttl_seconds, grace_seconds)
VALUES (%(owner)s, %(name)s, %(build)s, %(host)s, %(pod)s, %(node)s, %(pid)s, %(threads)s, %(heartbeat)s, %(ttl)s, %(grace)s)
RETURNING booted_at
