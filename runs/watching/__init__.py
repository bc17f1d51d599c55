"""Reads for people: what pages, streams and exports show of the record. Nothing here writes."""

from __future__ import annotations
