"""PostgreSQL and Valkey from wheels, for a machine that has neither. See docs/embedded.md."""

from __future__ import annotations


class EmbeddedRefused(Exception):
    """An embedded server cannot run here. The message is one sentence for a person and names the remedy."""
