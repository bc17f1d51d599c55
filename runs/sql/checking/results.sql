-- checking/results
-- Of some acknowledged results, those that are neither in completed nor, by their hash, among what
-- was displaced from it. Nothing ever leaves both, so an older question has the same answer.
SELECT w.run_id, w.id, w.step
FROM unnest(%(run_ids)s::text[], %(ids)s::bigint[], %(steps)s::text[], %(hashes)s::text[]) AS w(run_id, id, step, hash)
LEFT JOIN run_state AS r ON r.run_id = w.run_id
WHERE encode(sha256(convert_to((r.completed->w.step)::text, 'UTF8')), 'hex') IS DISTINCT FROM w.hash
  AND NOT EXISTS (SELECT 1 FROM run_output AS o WHERE o.run_id = w.run_id AND o.kind = 'displaced' AND o.step = w.step
                  AND encode(sha256(convert_to(o.value::text, 'UTF8')), 'hex') = w.hash)
ORDER BY w.run_id, w.id
