-- patience
-- From here to its end this transaction waits for no lock longer than so many milliseconds.
SELECT set_config('lock_timeout', %(milliseconds)s::text, true)
