"""The tables of the record as Django sees them. Their DDL lives in runs/sql/schema and in migrations; pages read,
engines write SQL.
"""

from __future__ import annotations

from runs.models.fleet import (
    RunCatalogue,
    RunDrain,
    RunDrainBound,
    RunEmergencyHold,
    RunPulse,
    RunTally,
    RunWorker,
)
from runs.models.people import RunAudit, RunDoubt, RunSeen
from runs.models.record import RunItem, RunLabel, RunOutput, RunState, RunTransition

__all__ = [
    "RunAudit",
    "RunCatalogue",
    "RunDoubt",
    "RunDrain",
    "RunDrainBound",
    "RunEmergencyHold",
    "RunItem",
    "RunLabel",
    "RunOutput",
    "RunPulse",
    "RunSeen",
    "RunState",
    "RunTally",
    "RunTransition",
    "RunWorker",
]
