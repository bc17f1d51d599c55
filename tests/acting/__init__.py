"""Two at once on one row, ordered by its locks."""

from __future__ import annotations
