"""What stands around the verbs of people: who acts, on what they saw, and the book in which it is written."""
