"""Real worker processes, killed and stopped at named points."""

from __future__ import annotations
