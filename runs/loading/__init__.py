"""Made-up runs by the million, with their logs: to measure pages at the size of years."""
