"""Runs the processes of `make demo`, keeps them alive and takes them down."""

from __future__ import annotations
