#!/usr/bin/env python
"""Django's command line, with the embedded servers beneath it where no URL replaces them."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from dashboard import env
from dashboard.embedded.commands import servers_for

INTERRUPTED = 130


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGHUP, leave)
    try:
        env.refuse_wrong_values()
        with servers_for(sys.argv):
            from django.core.management import execute_from_command_line

            execute_from_command_line(sys.argv)
    except env.Refused as refusal:
        sys.exit(str(refusal))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def leave(number: int, frame: FrameType | None) -> None:
    """Turn a signal into an exit, so that the last tenant stops the servers on its way out."""
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
