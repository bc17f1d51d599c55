"""Named points at which a fault test may stop this process. Nothing happens unless LEASEBOARD_CRASH_AT names one.

The value is ``point:signal`` or ``point:signal:step``, for example ``after_effect:KILL:charge_card``. The
process sends the signal to itself, once, so a test does not race against it.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

_plan = os.environ.get("LEASEBOARD_CRASH_AT", "")
_once = os.environ.get("LEASEBOARD_CRASH_ONCE", "")


def reached(point: str, step: str = "") -> None:
    """Stop here if the plan names this point (and step), the first time in all processes that share the plan."""
    if not _plan:
        return
    wanted, _, rest = _plan.partition(":")
    how, _, at_step = rest.partition(":")
    if wanted != point or (at_step and step and at_step != step) or not _first():
        return
    # Sent to this very thread: the process's other threads would take a signal sent to the process, and
    # until they did this one would run on past its point.
    signal.pthread_kill(threading.get_ident(), getattr(signal, f"SIG{how}"))


def _first() -> bool:
    if not _once:
        return True
    try:
        Path(_once).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
