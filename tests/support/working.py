"""A worker process within the test: the real drive, table of runs and gate, without queue and threads of its own."""

from __future__ import annotations

from runs import catalogue
from runs.fence import Writer
from runs.worker.drive import drive
from runs.worker.process import Process
from tests.support.factories import boot, row
from tests.support.races import at_once


class Worker:
    """Drives runs when told to, and beats never: leases last as long as the test lets them."""

    def __init__(self, ttl: float = 30.0) -> None:
        self.writer: Writer = boot(ttl=ttl)
        self.offered: list[str] = []
        self.process = Process(self.writer, ttl / 3, 1, catalogue.vendors_by_step())
        self.process.offer = self.offered.append

    def drive(self, run_id: str) -> str:
        """Drive the run as far as this process can, and say where it stands then. In a thread, as always."""
        at_once(lambda: drive(self.process, run_id)).result(30)
        return str(row(run_id)["status"])
