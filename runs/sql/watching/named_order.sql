-- named_order
-- Ids of runs whose order number fits the LIKE pattern %(like)s, at most %(cap)s, by the index of order numbers.
SELECT run_id FROM run_state WHERE order_ref <> '' AND lower(order_ref) LIKE %(like)s LIMIT %(cap)s
