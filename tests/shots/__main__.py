"""Say where the pictures are."""

from __future__ import annotations

from dashboard.embedded import place

print(place.data_directory() / "shots")
