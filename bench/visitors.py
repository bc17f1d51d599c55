"""Twenty people who each open a page every two seconds, over HTTP, and how long each page takes them."""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from dataclasses import dataclass, field
from statistics import quantiles

from bench.addresses import Page
from bench.site import Site

PEOPLE, EVERY_SECONDS = 20, 2.0
TIMES, WARM = 40, 3


@dataclass
class Times:
    """Seconds to the last byte (of a download: to the first), per page, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: list[str] = field(default_factory=list)

    def cut(self, name: str, percent: int) -> float:
        return quantiles(self.seconds[name], n=100, method="inclusive")[percent - 1]


def visit(site: Site, pages: list[Page], seed: int = 1) -> Times:
    """Each page TIMES times, in random order. Raises RuntimeError where a page did not answer as it should."""
    warm = [(page, address) for page in pages for address in page.opened(WARM)]
    visits = [(page, address) for page in pages for address in page.opened(TIMES)]
    random.Random(seed).shuffle(visits)
    asyncio.run(_together(site, warm, Times(), 0.0))
    times = Times()
    asyncio.run(_together(site, visits, times, EVERY_SECONDS))
    if times.failures:
        raise RuntimeError(
            f"{len(times.failures)} of {len(visits)} visits failed, the first: {times.failures[0]}"
        )
    return times


async def _together(site: Site, visits: list[tuple[Page, str]], times: Times, every: float) -> None:
    people = PEOPLE if every else 2
    shares = [visits[number::people] for number in range(people)]
    await asyncio.gather(
        *(_person(site, share, times, every, every * number / people) for number, share in enumerate(shares))
    )


async def _person(
    site: Site, share: list[tuple[Page, str]], times: Times, every: float, later: float
) -> None:
    due = time.perf_counter() + later
    for page, address in share:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        due = max(due, time.perf_counter()) + every
        began = time.perf_counter()
        status = await _open(site, address, page.is_download)
        times.seconds[page.name].append(time.perf_counter() - began)
        if status not in (200, 302):
            times.failures.append(f"{address} answered {status}")


async def _open(site: Site, address: str, is_download: bool) -> int:
    reader, writer = await asyncio.open_connection(site.host, site.port)
    head = (
        f"GET {address} HTTP/1.1\r\nHost: {site.host}\r\nCookie: {site.cookie}\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode())
    try:
        status = int((await reader.readline()).split()[1])
        while line := await reader.readline():
            if line == b"\r\n":
                break
        await (reader.read(1) if is_download else reader.read())
        return status
    finally:
        writer.close()
