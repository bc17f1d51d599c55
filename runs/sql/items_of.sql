-- items_of
-- Results of the items of a step that count for this doing of it: none older than the generation
-- in which the step was entered. Where an item was done twice, the last one stands.
SELECT DISTINCT ON (item) item, result FROM run_item
WHERE run_id = %(run_id)s AND step = %(step)s AND generation >= %(entered_generation)s
ORDER BY item, id DESC
