"""`make bench`: measure, print each line as it comes, keep the table in bench/results."""

from __future__ import annotations

import os
import platform
import sys
import time
from datetime import UTC, datetime

from bench.peer import PeerRefused
from bench.server import server
from bench.table import HEAD, RESULTS, save
from dashboard.env import Refused


def main() -> None:
    began = time.monotonic()
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "bench.log").open("w") as log, server() as here:
        from bench.report import lines

        print(*HEAD, sep="\n", flush=True)
        found = []
        for line in lines(here, log):
            found.append(line)
            print(line.row(), flush=True)
        machine = {
            "measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC in {time.monotonic() - began:.0f} s",
            "cores": str(os.cpu_count()),
            "load at the end": f"{os.getloadavg()[0]:.1f}",
            "Python": platform.python_version(),
            "PostgreSQL": f"{here.version}, fsync {here.fsync}",
        }
        save(found, machine)


if __name__ == "__main__":
    try:
        main()
    except (Refused, PeerRefused) as refusal:
        sys.exit(str(refusal))
