"""Seven vendors behind one HTTP process, with books of their own.

The process knows nothing of the database that holds the runs. What it wrote down is therefore evidence:
after any crash, its books say which effects really happened.
"""
