-- item_results
-- A page of the finished items of a looping step, by item, each result cut. Goes in by the key of run_item. An item
-- that was done twice has two rows. %(after)s: the last row of the page before, or null. Returns one row more than %(limit)s where there is a further page.
SELECT i.id, i.item, i.epoch, i.attempt, i.generation, i.at, left(i.result::text, %(size)s) AS payload,
    octet_length(i.result::text) AS bytes
FROM run_item i
WHERE i.run_id = %(run_id)s AND i.step = %(step)s
  AND (%(after)s::bigint IS NULL
       OR (i.item, i.id) > (SELECT last.item, last.id FROM run_item last WHERE last.id = %(after)s AND last.run_id = i.run_id))
ORDER BY i.item, i.id LIMIT %(limit)s + 1
