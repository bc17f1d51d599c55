"""PostgreSQL and Valkey from wheels, for a machine that has neither. See docs/embedded.md."""

from __future__ import annotations

from dashboard.env import Refused


class EmbeddedRefused(Refused):
    """An embedded server cannot run here."""
