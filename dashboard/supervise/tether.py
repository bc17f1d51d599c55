"""Become another program that dies when the supervisor does: python tether.py SUPERVISOR PROGRAM ARGUMENT...

A program of its own, so that the supervisor need not run Python between fork and exec, and free of imports
from the project, so that it costs milliseconds. The kernel keeps the wish over exec.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    supervisor, *command = sys.argv[1:]
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # The supervisor may have died before the wish was heard; then this process has another parent already.
    if os.getppid() == int(supervisor):
        os.execv(command[0], command)


if __name__ == "__main__":
    main()
