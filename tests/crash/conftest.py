from __future__ import annotations

from tests.crash.fleet import fleet
from tests.support.board import on_the_record, record_url

__all__ = ["fleet", "on_the_record", "record_url"]
