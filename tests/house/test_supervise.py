"""The supervisor: children come back, leave when told, and never outlive it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from dashboard import env
from dashboard.supervise import claims
from dashboard.supervise.child import Child
from dashboard.supervise.supervisor import supervise

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('INFO: deaf', flush=True);"
    "time.sleep(60)",
]
SUPERVISOR = f"""
import asyncio, sys
from pathlib import Path
from dashboard.supervise.child import Child
child = Child("sleeper", {SLEEP!r}, 1, 5)
async def main():
    task = asyncio.create_task(child.keep(Path(sys.argv[1])))
    while child.process is None:
        await asyncio.sleep(0.01)
    print(child.process.pid, flush=True)
    await task
asyncio.run(main())
"""


def terminate_soon(seconds: float) -> None:
    asyncio.get_running_loop().call_later(seconds, os.kill, os.getpid(), signal.SIGTERM)


def test_a_child_that_ends_comes_back_and_the_last_lines_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    child = Child("brief", [sys.executable, "-c", "print('its last words'); raise SystemExit(3)"], 1, 5)

    async def scene() -> None:
        terminate_soon(1.6)
        await supervise([child], tmp_path, 1, lambda: None)

    asyncio.run(scene())
    said = capsys.readouterr().out
    assert "brief       its last words" in said
    assert "ended with status 3; it starts again in 1 s" in said
    assert (tmp_path / "brief.log").read_text().count("its last words") >= 2


def test_lower_ranks_stop_first_and_the_deaf_are_killed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deaf, patient = Child("deaf", STUBBORN, 1, 0.3), Child("patient", SLEEP, 2, 5)

    async def scene() -> None:
        terminate_soon(1.0)
        await supervise([patient, deaf], tmp_path, 1, lambda: None)

    asyncio.run(scene())
    assert deaf.process is not None and patient.process is not None
    assert deaf.process.returncode == -signal.SIGKILL
    assert patient.process.returncode == -signal.SIGTERM
    assert "deaf        does not stop within 0.3 s: killed" in capsys.readouterr().out


def test_warnings_reach_the_terminal_and_chatter_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "INFO: quiet\\nWARNING: loud\\n  and its second line\\nINFO: quiet again"
    child = Child(
        "talker", [sys.executable, "-c", f"print('{lines}', flush=True); import time; time.sleep(60)"], 1, 5
    )

    async def scene() -> None:
        # An interpreter on a busy machine needs a while to start.
        terminate_soon(4)
        await supervise([child], tmp_path, 1, lambda: None)

    asyncio.run(scene())
    said = capsys.readouterr().out
    assert "WARNING: loud" in said and "and its second line" in said
    assert "quiet" not in said


def test_children_die_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    supervisor = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, str(tmp_path)], cwd=env.REPOSITORY, stdout=subprocess.PIPE
    )
    assert supervisor.stdout is not None
    with supervisor.stdout:
        child = psutil.Process(int(supervisor.stdout.readline()))
        wait_for_exec(child)
        supervisor.kill()
        supervisor.wait()
    deadline = time.monotonic() + 5
    while child.is_running() and child.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the child outlives its supervisor"
        time.sleep(0.02)


def wait_for_exec(child: psutil.Process) -> None:
    deadline = time.monotonic() + 5
    while child.cmdline() != SLEEP:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_second_supervisor_is_refused_and_told_the_first(tmp_path: Path) -> None:
    second = pytest.raises(claims.ClaimRefused, match=f"as process {os.getpid()}: stop that one")
    with claims.sole_supervisor(tmp_path), second, claims.sole_supervisor(tmp_path):
        pass
    # The first has left.
    with claims.sole_supervisor(tmp_path):
        pass


def test_a_taken_port_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "PATIENCE_SECONDS", 0.1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(claims.ClaimRefused, match=f"Port {port} is taken: .* PORT={port + 1}"):
            claims.demand_port(port)
    claims.demand_port(port)
