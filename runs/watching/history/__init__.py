"""What has happened to a run, from its log: who held it and when, each call, and what was paid."""

from __future__ import annotations
