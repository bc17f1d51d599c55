"""What the tests stand on."""

from __future__ import annotations
