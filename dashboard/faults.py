"""What is written down of a fault: nothing that redaction would not let a page show."""

from __future__ import annotations

import logging
from collections.abc import ItemsView
from typing import Any

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter

# Logging is set up before anything else is loaded: of all reads it takes this one function.
from runs.watching.payloads.redaction import redacted


class Line(logging.Formatter):
    """A line of the log. An error's message may quote the value that it stumbled over."""

    def format(self, record: logging.LogRecord) -> str:
        return redacted(super().format(record))


class NoVariables(SafeExceptionReporterFilter):
    """Django's own page of a fault, seen in development and in its mails: without the variables of any function,
    among which are the payloads that the function was at work on."""

    def get_traceback_frame_variables(
        self, request: HttpRequest | None, tb_frame: Any
    ) -> ItemsView[str, Any]:
        return {}.items()
