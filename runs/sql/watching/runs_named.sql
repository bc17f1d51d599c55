-- runs_named
-- The runs that go by this name: a run id, or an order number, of which several may tell.
SELECT run_id FROM run_state WHERE run_id = %(name)s
UNION
(SELECT run_id FROM run_state WHERE order_ref = %(name)s AND order_ref <> '' LIMIT 100)
