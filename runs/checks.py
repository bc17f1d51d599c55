"""Settings that would make leases unsafe are refused at start, with both numbers and the rule."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from runs.errors import ConfigurationRefused


def lease_rule(ttl: float, heartbeat: float) -> str | None:
    """The sentence against this pair, or None where it is safe: TTL ≥ 3 × heartbeat > 0, so that
    two heartbeats may be lost before a live worker's lease lapses."""
    if heartbeat <= 0:
        return f"The heartbeat is {heartbeat:g} s: set LEASEBOARD_HEARTBEAT_SECONDS above 0."
    if ttl < 3 * heartbeat:
        return (
            f"The TTL is {ttl:g} s and the heartbeat {heartbeat:g} s: the TTL must be at least three heartbeats. "
            f"Set LEASEBOARD_TTL_SECONDS to {3 * heartbeat:g} or more, or LEASEBOARD_HEARTBEAT_SECONDS to {ttl / 3:g} or less."
        )
    return None


def require_lease_rule(ttl: float, heartbeat: float) -> None:
    """Raise ConfigurationRefused for an unsafe pair: a worker process must not start with one."""
    if refusal := lease_rule(ttl, heartbeat):
        raise ConfigurationRefused(refusal)


@register
def check_leases(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    refusal = lease_rule(settings.LEASEBOARD_TTL_SECONDS, settings.LEASEBOARD_HEARTBEAT_SECONDS)
    return [Error(refusal, id="runs.E001")] if refusal else []
