"""A forked child becomes a Celery worker, as `celery worker -P threads` would."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from celery.signals import worker_ready

QUIET = {"without_gossip": True, "without_mingle": True, "without_heartbeat": True, "quiet": True}


def ready_folder() -> Path:
    """Where each worker leaves a file with its name once it takes messages."""
    return Path(os.environ["REPLAY_FOLDER"]) / "ready"


def work(app: Any, name: str, threads: int) -> None:
    """Serve until SIGTERM, then as long as a run is under way, or SIGKILL."""

    def ready(**_: Any) -> None:
        (ready_folder() / name).touch()

    worker_ready.connect(ready, weak=False)
    worker = app.Worker(
        hostname=f"{name}@replay",
        pool="threads",
        concurrency=threads,
        queues=[os.environ["REPLAY_NAME"]],
        loglevel="WARNING",
        **QUIET,
    )
    worker.start()
