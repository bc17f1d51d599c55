"""Five hundred open streams while two hundred commits a second are made: how long until a commit is at the client."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from dataclasses import dataclass, field
from html import unescape
from itertools import count, cycle
from statistics import quantiles
from typing import IO

from bench.site import Site, site
from runs import db
from runs.queries import dom_key, run_query

RUNS, LISTS, PAGES = 2000, 400, 100
COMMITS_A_SECOND = 200
WARM_SECONDS, SECONDS = 10.0, 30.0
WORKFLOW, STEPS = "bench_streams", [f"step_{n}" for n in range(1, 10)]
STREAM = re.compile(r'sse-connect="([^"]+)"')
OLDER = re.compile(r'href="([^"]*after=[^"]+)"')
# A row of a list names the item under way, a run's page how many are done.
ROW, STEPS_CARD, ITEM = b'id="row-', b'id="steps"', re.compile(rb"item ([\d,]+) of")
SEED = """
INSERT INTO run_state (run_id, workflow, cursor, input, epoch, lease_owner, lease_expires_at)
SELECT 'stream-' || n, %(workflow)s, '{"step": "step_1", "status": "started", "attempt": 1, "item": null, "guard": "pure"}',
    '{"order_ref": "PO-2026-0041"}', 1, 'bench#000000', now() + interval '1 hour'
FROM generate_series(1, %(runs)s) AS n
"""
CATALOGUE = """
INSERT INTO run_catalogue (workflow, build, body) SELECT %(workflow)s, 'bench', jsonb_build_object('steps',
    (SELECT jsonb_agg(jsonb_build_object('name', s, 'first_name', s, 'title', s)) FROM unnest(%(steps)s::text[]) AS s))
"""
COMMIT = """
UPDATE run_state SET cursor = jsonb_build_object('step', %(step)s::text, 'status', 'started', 'attempt', 1, 'item', NULL,
    'guard', 'pure', 'items_done', %(done)s::integer, 'items_total', 100000000),
    lease_expires_at = clock_timestamp() + interval '1 hour'
WHERE run_id = %(run_id)s AND lease_owner = 'bench#000000' AND epoch = 1
"""


@dataclass(frozen=True)
class Streams:
    """Seconds from a commit to its bytes at a client (p50, p95), and what the web process holds meanwhile."""

    p50: float
    p95: float
    seen: int
    commits_a_second: float
    connections: int
    connections_before: int
    resident_mb: float
    threads: int


@dataclass
class Clock:
    """When each commit was acknowledged, by run and number; and the delays that clients saw."""

    made: dict[str, tuple[int, float]] = field(default_factory=dict)
    delays: list[float] = field(default_factory=list)
    commits: int = 0
    measures: bool = False

    def saw(self, key: str, done: int) -> None:
        """A client has the newest commit of a run. One that a newer commit has overtaken counts with the newer."""
        number, at = self.made.get(key, (0, 0.0))
        if self.measures and done == number:
            self.delays.append(time.perf_counter() - at)


def measure(log: IO[str]) -> Streams:
    with db.connect() as conn:
        conn.execute(CATALOGUE, {"workflow": WORKFLOW, "steps": STEPS})
        conn.execute(SEED, {"workflow": WORKFLOW, "runs": RUNS})
    with site(log) as here:
        pages = [f"/run/live/{run_query(f'stream-{n}')}" for n in range(1, PAGES + 1)]
        return asyncio.run(_watch(here, [*_lists(here), *pages]))


def _lists(here: Site) -> list[str]:
    """Stream URLs of lists: each page of the list has its share of the viewers."""
    path, urls = "/orders/?state=open", []
    while path and len(urls) < RUNS // 50:
        page = here.get(path)
        urls.append(unescape(STREAM.findall(page)[0]))
        older = OLDER.findall(page)
        path = unescape(older[0]) if older else ""
    each = cycle(urls)
    return [next(each) for _ in range(LISTS)]


async def _watch(here: Site, urls: list[str]) -> Streams:
    before, clock, ended = _connections(), Clock(), threading.Event()
    readers = [asyncio.create_task(_read(here, url, clock)) for url in urls]
    await asyncio.sleep(WARM_SECONDS)
    writer = threading.Thread(target=_commit, args=(clock, ended))
    writer.start()
    await asyncio.sleep(WARM_SECONDS)
    clock.measures, began = True, clock.commits
    await asyncio.sleep(SECONDS)
    rate, connections = (clock.commits - began) / SECONDS, _connections()
    memory, threads = here.resident_mb(), here.threads()
    ended.set()
    writer.join()
    for reader in readers:
        reader.cancel()
    lost = [
        found
        for found in await asyncio.gather(*readers, return_exceptions=True)
        if isinstance(found, Exception)
    ]
    if lost:
        raise RuntimeError(f"{len(lost)} of {len(urls)} streams broke, the first with {lost[0]!r}.")
    cuts = quantiles(clock.delays, n=100)
    return Streams(cuts[49], cuts[94], len(clock.delays), rate, connections, before, memory, threads)


async def _read(here: Site, url: str, clock: Clock) -> None:
    """One open stream; bytes are looked at as they come, frame by frame."""
    reader, writer = await asyncio.open_connection(here.host, here.port, limit=2**22)
    writer.write(f"GET {url} HTTP/1.1\r\nHost: {here.host}\r\nCookie: {here.cookie}\r\n\r\n".encode())
    try:
        status = await reader.readline()
        if b" 200 " not in status:
            raise RuntimeError(f"{url[:60]} answered {status!r}")
        run = dom_key(url.partition("run=")[2]) if "run=" in url else ""
        while frame := await reader.readuntil(b"\n\n"):
            for row in frame.split(STEPS_CARD if run else ROW)[1:]:
                if item := ITEM.search(row):
                    number = int(item[1].replace(b",", b""))
                    clock.saw(run or row[:16].decode(), number if run else number - 1)
    finally:
        writer.close()


def _commit(clock: Clock, ended: threading.Event) -> None:
    """Commits at an even pace, over all runs in turn."""
    with db.connect() as conn:
        due = time.perf_counter()
        for number in count(1):
            if ended.is_set():
                return
            run_id = f"stream-{1 + number * 7 % RUNS}"
            conn.execute(COMMIT, {"run_id": run_id, "step": STEPS[number % len(STEPS)], "done": number})
            clock.made[dom_key(run_id)] = (number, time.perf_counter())
            clock.commits = number
            due += 1 / COMMITS_A_SECOND
            time.sleep(max(0.0, due - time.perf_counter()))


def _connections() -> int:
    with db.connect() as conn:
        asked = "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        return int(conn.execute(asked).fetchall()[0]["n"])
