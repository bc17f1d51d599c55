"""One module per page. A view is guard, read, render."""

from __future__ import annotations
