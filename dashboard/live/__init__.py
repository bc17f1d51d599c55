"""Live pages: one tailer a web process reads the log, and hands what it rendered to every viewer's stream."""

from __future__ import annotations
