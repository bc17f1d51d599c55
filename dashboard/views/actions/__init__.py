"""What people do to a run: one verb, one address, one short view. Each shows its form and takes it."""
