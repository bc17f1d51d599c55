"""The deploy that restarted every run, replayed: with the record, and as the old code did it.

Two witnesses tell what happened: the record of the runs, and the books of the vendors, which know nothing of it.
"""
