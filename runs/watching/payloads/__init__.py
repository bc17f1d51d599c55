"""Payloads: what runs were given and what they gave. Nothing of them reaches a page but through redaction."""

from __future__ import annotations
