-- The facts of a row f as the key that runs/watching/filters.py makes of the same facts.
f.status || '|' || f.lease || '|' || f.wake || '|' || f.tried || '|' || f.slow || '|' || f.late || '|' || f.seen
