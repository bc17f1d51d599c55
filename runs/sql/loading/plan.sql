-- plan
-- The steps of a workflow by its newest catalogue.
SELECT body->'steps' AS steps FROM run_catalogue WHERE workflow = %(workflow)s ORDER BY published_at DESC LIMIT 1
