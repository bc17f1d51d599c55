-- labels
-- What the chunk's runs are searched by.
INSERT INTO run_label (run_id, name, value, folded, currency)
SELECT r.run_id, l.name, l.value, CASE WHEN l.searched THEN lower(l.value) ELSE '' END, l.currency
FROM load_run AS r, LATERAL (VALUES
    ('buyer', r.buyer, true, ''), ('supplier', r.supplier, true, ''), ('amount', r.amount::text, false, r.currency),
    ('reference', 'B-' || r.n * 7 %% 1000003, true, '')) AS l(name, value, searched, currency)
