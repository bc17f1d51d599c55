"""What tests of the record share: the board they play on, factories, workflows, races, a proxy that cuts."""

from __future__ import annotations
