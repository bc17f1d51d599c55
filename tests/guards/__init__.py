"""Each guard taken away: the test that proves it must fail then."""

from __future__ import annotations
