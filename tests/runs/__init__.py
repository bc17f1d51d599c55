"""The record, verb by verb."""

from __future__ import annotations
