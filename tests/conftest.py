"""What every test stands on."""

from __future__ import annotations
