-- lines
-- The lines of exactly these runs, %(ids)s; one that was deleted is absent.
WITH {facts},
page AS MATERIALIZED (SELECT f.*, f.created_at AS sort_at FROM facts f WHERE f.run_id = ANY (%(ids)s))
{lines}
