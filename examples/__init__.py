"""Worked examples: each is an installed app that uses `runs` and nothing of the dashboard."""
