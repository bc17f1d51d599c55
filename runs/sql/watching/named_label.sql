-- named_label
-- Ids of runs with any label that fits the LIKE pattern %(like)s, at most %(cap)s: from the index of labels alone,
-- so that it costs little to find out that they are many. Whoever asks looks at the label's name.
SELECT run_id FROM run_label WHERE folded <> '' AND folded LIKE %(like)s LIMIT %(cap)s
