from __future__ import annotations

from tests.support.board import on_the_record, record_url

__all__ = ["on_the_record", "record_url"]
