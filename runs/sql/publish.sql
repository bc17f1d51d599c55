-- publish
-- A build tells what it knows of a workflow. The same build publishes the same body again and
-- again; a newer body under the same name wins, and an equal one writes nothing.
INSERT INTO run_catalogue AS c (workflow, build, body) VALUES (%(workflow)s, %(build)s, %(body)s::jsonb)
ON CONFLICT (workflow, build) DO UPDATE SET body = EXCLUDED.body, published_at = clock_timestamp()
WHERE c.body <> EXCLUDED.body
