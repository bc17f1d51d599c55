-- heartbeat_alone
-- Renew one lease, waiting for the row's lock as long as lock_timeout lets it.
UPDATE run_state SET lease_expires_at = clock_timestamp() + %(ttl)s::float8 * interval '1 second'
WHERE run_id = ANY (%(run_ids)s::text[]) AND lease_owner = %(owner)s AND epoch = ANY (%(epochs)s::bigint[])
RETURNING run_id
