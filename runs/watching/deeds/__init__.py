"""What people do, as pages tell it: what may be done, what it would do, how far it got, and what was done."""
