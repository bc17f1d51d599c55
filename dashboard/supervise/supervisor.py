"""Keeps a crew running until a signal, then takes it down in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from dashboard.env import Refused
from dashboard.supervise.child import Child
from dashboard.supervise.console import say

TEND_SECONDS = 5


async def supervise(
    crew: list[Child],
    logs: Path,
    port: int,
    greet: Callable[[], None],
    tend: Callable[[], list[str]] = list,
) -> None:
    """Start all, greet once the port answers, and return when a signal came and every child is gone.

    `tend` looks after the servers below from time to time and names those that it had to start again.
    """
    asked = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, _hear, asked, crew)
    keepers = [asyncio.create_task(child.keep(logs)) for child in crew]
    greeting = asyncio.create_task(_greet_when_open(port, greet))
    while not asked.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(asked.wait(), TEND_SECONDS)
            break
        await asyncio.to_thread(_tend, tend)
    greeting.cancel()
    for _, rank in groupby(sorted(crew, key=attrgetter("rank")), key=attrgetter("rank")):
        await asyncio.gather(*(child.stop() for child in rank))
    await asyncio.gather(*keepers)


def _hear(asked: asyncio.Event, crew: list[Child]) -> None:
    """The first signal stops in order, the second at once."""
    if asked.is_set():
        for child in crew:
            child.kill()
        return
    asked.set()
    # Nobody comes back from here on, whichever rank is being stopped.
    for child in crew:
        child.leaving.set()
    print()
    say("stopping", "orders first, then workers, which give their runs back; Ctrl-C again stops at once")


def _tend(tend: Callable[[], list[str]]) -> None:
    try:
        for server in tend():
            say("servers", f"{server} was gone and is started again")
    except Refused as refusal:
        say("servers", str(refusal))


async def _greet_when_open(port: int, greet: Callable[[], None]) -> None:
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return greet()
        await asyncio.sleep(0.1)
