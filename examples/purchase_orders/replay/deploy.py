"""Conducts the replay: workers up, runs in flight, the rolling deploy, and the wait for the end."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from examples.purchase_orders.replay.parent import Death, Parent
from examples.purchase_orders.replay.plan import Plan
from examples.purchase_orders.replay.progress import Progress
from examples.purchase_orders.replay.watch import State, Watch
from examples.purchase_orders.vendors.process import Simulator

TICK_SECONDS = 0.25
BOOT_SECONDS = 120.0
END_SECONDS = 5.0
# A run that nobody moves for this long will not move any more; the slowest call is well below.
STALLED_SECONDS = 240.0


class ReplayFailed(RuntimeError):
    """The replay did not come to its end; the message is one sentence."""


@dataclass
class Worker:
    name: str
    build: str
    pid: int
    kill_at: float = float("inf")


@dataclass
class Outcome:
    """What only the conductor knows: when processes were told to end, when they ended, and what the deploy met."""

    told: dict[int, float] = field(default_factory=dict)
    deaths: dict[int, float] = field(default_factory=dict)
    killed: int = 0
    in_flight: int = 0
    seconds: float = 0.0


class Deploy:
    def __init__(
        self, plan: Plan, parent: Parent, watch: Watch, vendors: Simulator, folder: Path, progress: Progress
    ) -> None:
        self.plan, self.parent, self.watch, self.vendors = plan, parent, watch, vendors
        self.progress = progress
        self.ready = folder / "ready"
        self.ready.mkdir()
        self.outcome = Outcome()
        self.workers: dict[int, Worker] = {}
        self.helpers: dict[int, str] = {}

    def run(self) -> Outcome:
        began = time.monotonic()
        self._boot()
        self._fill()
        self._roll()
        self._finish()
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    def _boot(self) -> None:
        for number in range(self.plan.workers):
            self._start("old", number)
        self._until(
            lambda: len(list(self.ready.iterdir())) >= self.plan.workers, "starting the workers", BOOT_SECONDS
        )

    def _start(self, build: str, number: int) -> None:
        name = f"{build}-{number + 1:02d}"
        pid = self.parent.fork("worker", name=name, build=build, threads=self.plan.threads)
        self.workers[pid] = Worker(name, build, pid)

    def _fill(self) -> None:
        if not self.plan.naive:
            self._help("sweep", seconds=self.plan.sweep)
        self._help("orders", runs=self.plan.runs, seconds=self.plan.arrival, seed=self.plan.seed)
        limit = self.plan.arrival + BOOT_SECONDS
        self._until(lambda: self.watch.state().taken >= self.plan.runs, "taking orders", limit)
        state = self.watch.state()
        self.outcome.in_flight = state.taken - state.over

    def _roll(self) -> None:
        """SIGTERM to one old worker after another, a new one in its place, SIGKILL after its grace."""
        old = list(self.workers.values())
        due = time.monotonic()
        for number, worker in enumerate(old):
            self._until(partial(_past, due), "deploying", None)
            self._tell(worker, self.plan.grace)
            self._start("new", number)
            due += self.plan.pace
        self._until(lambda: not any(worker.pid in self.workers for worker in old), "deploying", None)

    def _finish(self) -> None:
        """Until no run moves any more, and no vendor has a call in its hands; then the new build ends too."""
        moved = (self.watch.state(), time.monotonic())

        def over() -> bool:
            nonlocal moved
            state = self.watch.state()
            if state != moved[0]:
                moved = (state, time.monotonic())
            return state.over >= self.plan.runs or time.monotonic() > moved[1] + STALLED_SECONDS

        self._until(over, "waiting for the end", None)
        self._until(
            lambda: self.vendors.control()["in_flight"] == 0, "waiting for the vendors", STALLED_SECONDS
        )
        for worker in self.workers.values():
            self._tell(worker, max(self.plan.grace, END_SECONDS))
        for pid in self.helpers:
            self.parent.send(pid, signal.SIGKILL)
        self._until(lambda: not self.workers and not self.helpers, "ending the workers", None)

    def _tell(self, worker: Worker, grace: float) -> None:
        self.outcome.told[worker.pid] = time.time()
        self.parent.send(worker.pid, signal.SIGTERM)
        worker.kill_at = time.monotonic() + grace

    def _help(self, role: str, **given: object) -> None:
        self.helpers[self.parent.fork(role, **given)] = role

    def _until(self, reached: Callable[[], bool], stage: str, limit: float | None) -> None:
        """Attend to deaths and graces until the condition holds. Raises ReplayFailed after the limit."""
        began = time.monotonic()
        while not reached():
            if limit is not None and time.monotonic() > began + limit:
                raise ReplayFailed(
                    f"{stage[0].upper()}{stage[1:]} took more than {limit:.0f} s: lower --speed or --runs."
                )
            self._tick()
            self.progress.say(stage, self._shown(self.watch.state()))

    def _tick(self) -> None:
        for worker in list(self.workers.values()):
            if time.monotonic() >= worker.kill_at:
                self.parent.send(worker.pid, signal.SIGKILL)
                worker.kill_at = float("inf")
        next_kill = min((worker.kill_at for worker in self.workers.values()), default=float("inf"))
        wait = min(TICK_SECONDS, max(0.01, next_kill - time.monotonic()))
        died = self.parent.deaths(wait)
        for death in died:
            self._died(death)
        if numbers := self.watch.undelivered(death.pid for death in died):
            self._help("redeliver", numbers=numbers, seed=self.plan.seed)

    def _died(self, death: Death) -> None:
        self.outcome.deaths[death.pid] = death.at
        role = self.helpers.pop(death.pid, "")
        worker = self.workers.pop(death.pid, None)
        if worker is not None and death.pid not in self.outcome.told:
            raise ReplayFailed(f"Worker {worker.name} ended by itself with {death.code}.")
        if role and death.code not in (0, -signal.SIGKILL):
            raise ReplayFailed(f"The part {role!r} of the replay failed.")
        if worker is not None and worker.build == "old":
            self.outcome.killed += death.code == -signal.SIGKILL

    def _shown(self, state: State) -> str:
        doubt = f", {state.in_doubt:,} in doubt" if state.in_doubt else ""
        return f"{state.taken:,} of {self.plan.runs:,} taken, {state.finished:,} finished{doubt}, {len(self.workers)} workers"


def _past(moment: float) -> bool:
    return time.monotonic() >= moment
