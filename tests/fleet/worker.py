"""A real Celery worker process, as `make demo` starts it, and what the record says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fleet.process import Process, python
from tests.fleet.waiting import until

if TYPE_CHECKING:
    from tests.fleet.stage import Stage


class Worker(Process):
    """Boots at once; ``ready`` waits until it takes messages."""

    def __init__(self, stage: Stage, name: str, *, threads: int = 8, build: str = "", **env: str) -> None:
        self._stage = stage
        options = f"-P threads -c {threads} -Q runs -n {name}@fleet --loglevel INFO --without-gossip --without-mingle"
        more = {"LEASEBOARD_WORKER": name, "LEASEBOARD_BUILD": build or "test", **env}
        command = python("-m", "celery", "--quiet", "-A", "dashboard", "worker", *options.split())
        super().__init__(name, command, {**stage.env, **more}, stage.folder)
        stage.processes.append(self)

    def ready(self) -> Worker:
        until(self._is_ready, f"{self.name} takes messages", 40)
        return self

    def _is_ready(self) -> bool:
        assert self.alive, self.tail()
        return "ready." in self.said() and self.row() is not None

    def row(self) -> dict[str, Any] | None:
        """Its row in the fleet: the process number tells it from an earlier one of the same name."""
        found = self._stage.ask(
            "SELECT *, clock_timestamp() AS now FROM run_worker WHERE pid = %(pid)s AND name = %(name)s",
            pid=self.pid,
            name=self.name,
        )
        return found[0] if found else None

    def told(self, column: str) -> Any:
        row = self.row()
        return row and row[column]

    @property
    def owner(self) -> str:
        return str(self.told("owner"))

    def cut(self) -> None:
        """SIGTERM, and SIGKILL once all that can be given back has been."""
        self.terminate()
        until(lambda: self.told("acknowledged_at"), f"{self.name} acknowledges its drain")
        self.kill()

    def ended_message(self, message: str) -> bool:
        """Has it taken this message and come to its end?"""
        return f"[{message}] succeeded in" in self.said()
