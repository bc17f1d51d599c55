"""What can go wrong, each by its own name. The docstring is the message where none is given."""

from __future__ import annotations

from typing import Any


class LeaseboardError(Exception):
    """Something in Leaseboard went wrong."""

    def __init__(self, message: str | None = None, **facts: Any) -> None:
        super().__init__(message or type(self).__doc__)
        self.facts = facts
        for name, value in facts.items():
            setattr(self, name, value)


class LeaseLost(LeaseboardError):
    """The run has changed hands; this worker may not write to it any more."""

    run_id: str
    step: str
    epoch: int


class Stopped(LeaseboardError):
    """The write was recorded, and the run stands elsewhere than asked: begin nothing."""

    cursor: dict[str, Any]


class DatabaseLostWrites(LeaseboardError):
    """The database no longer has what it acknowledged: a restore or a failover lost commits."""


class RunExists(LeaseboardError):
    """This run_id is taken by a run with another workflow or input."""


class RunIdRefused(LeaseboardError, ValueError):
    """A run_id has 1 to 200 characters and no control characters."""


class UnknownWorkflow(LeaseboardError, LookupError):
    """No workflow of this name is declared here."""


class DeclarationRefused(LeaseboardError, ValueError):
    """A workflow is declared in a way that could not work."""


class InputRefused(LeaseboardError, ValueError):
    """The input of a run must be a JSON object without NaN, infinities or NUL characters."""


class Unstorable(LeaseboardError):
    """A result that the record cannot hold."""

    raw: str


class ItemsChanged(LeaseboardError):
    """The items of a looping step are no longer those that were begun."""


class ConfigurationRefused(LeaseboardError):
    """A setting would make leases unsafe."""


class TookTooLong(LeaseboardError):
    """The database did not answer in the time that a page may take."""
