-- plans
-- The newest catalogue of each workflow: titles, sentences and order of the steps.
SELECT DISTINCT ON (workflow) workflow, build, body FROM run_catalogue ORDER BY workflow, published_at DESC
