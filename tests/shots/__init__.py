"""`make shots`: pictures of each page in each state, from one story, for people to look at."""
