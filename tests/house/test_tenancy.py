"""The embedded servers, for real: shared, stopped by the last to leave, and taken over after a kill."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from dashboard import env
from dashboard.embedded import EmbeddedRefused, place, postgres, valkey
from dashboard.embedded.tenancy import Tenancy

TENANT = """
import sys, time
from pathlib import Path
from dashboard.embedded.tenancy import Tenancy
Tenancy.enter(Path(sys.argv[1]), database=True, broker=True, forgetful=True)
print("in", flush=True)
time.sleep(60)
"""


@pytest.fixture
def data() -> Iterator[Path]:
    """Not pytest's own folder, which is closed to the account that PostgreSQL runs as under root."""
    folder = Path(tempfile.mkdtemp(prefix="leaseboard-test-"))
    folder.chmod(0o711)
    yield folder / "data"
    if (folder / "data").exists():
        valkey.stop(folder / "data")
        postgres.stop(folder / "data")
    shutil.rmtree(folder)


@pytest.fixture
def enter(data: Path) -> Callable[[], Tenancy]:
    return lambda: Tenancy.enter(data, database=True, broker=True, forgetful=True)


def answers(data: Path) -> bool:
    try:
        psycopg.connect(place.database_url(data)).close()
    except psycopg.OperationalError:
        return False
    return True


def test_the_last_to_leave_stops_the_servers(data: Path, enter: Callable[[], Tenancy]) -> None:
    first, second = enter(), enter()
    first.leave()
    assert answers(data)
    assert (place.socket_directory(data) / "valkey.sock").exists()
    second.leave()
    assert not answers(data)
    assert not (place.socket_directory(data) / "valkey.sock").exists()
    # Leaving again is no second stop: somebody else may have come in by now.
    third = enter()
    second.leave()
    assert answers(data)
    third.leave()


def test_servers_of_a_killed_tenant_are_taken_over(data: Path, enter: Callable[[], Tenancy]) -> None:
    tenant = subprocess.Popen(
        [sys.executable, "-c", TENANT, str(data)], cwd=env.REPOSITORY, stdout=subprocess.PIPE
    )
    assert tenant.stdout is not None
    with tenant.stdout:
        assert tenant.stdout.readline() == b"in\n"
        tenant.send_signal(signal.SIGKILL)
        tenant.wait()
    assert answers(data)
    postmaster = (data / "postgres" / "postmaster.pid").read_text().split()[0]
    heir = enter()
    assert (data / "postgres" / "postmaster.pid").read_text().split()[0] == postmaster
    heir.leave()
    assert not answers(data)


def test_a_server_that_died_meanwhile_is_started_again(data: Path, enter: Callable[[], Tenancy]) -> None:
    tenancy = enter()
    assert tenancy.tend() == []
    valkey.stop(data)
    postgres.stop(data)
    assert tenancy.tend() == ["PostgreSQL", "Valkey"]
    assert answers(data)
    tenancy.leave()


def test_a_killed_server_is_started_again(data: Path, enter: Callable[[], Tenancy]) -> None:
    """Some containers leave the dead as zombies, whose number in the lock file PostgreSQL would believe."""
    tenancy = enter()
    os.kill(int((data / "postgres" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    os.kill(int((data / "valkey" / "valkey.pid").read_text()), signal.SIGKILL)
    assert tenancy.tend() == ["PostgreSQL", "Valkey"]
    assert answers(data)
    tenancy.leave()


def test_a_stale_number_in_the_pid_file_is_not_taken_for_a_server(
    data: Path, enter: Callable[[], Tenancy]
) -> None:
    enter().leave()
    (data / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n{data / 'postgres'}\n")
    (data / "valkey" / "valkey.pid").write_text(str(os.getpid()))
    tenancy = enter()
    assert answers(data)
    tenancy.leave()


def test_a_postmaster_that_does_not_answer_is_named(
    data: Path, enter: Callable[[], Tenancy], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "START_SECONDS", 2)
    tenancy = enter()
    postmaster = psutil.Process(int((data / "postgres" / "postmaster.pid").read_text().split()[0]))
    postmaster.suspend()
    try:
        with pytest.raises(EmbeddedRefused, match=f"is held by process {postmaster.pid}, which does not"):
            enter()
    finally:
        postmaster.resume()
        tenancy.leave()


def test_a_folder_that_somebody_else_made_first_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").symlink_to(tmp_path)
    with pytest.raises(env.SettingRefused, match="belongs to somebody else"):
        place.closed_directory(tmp_path / "run")


def test_a_deep_directory_keeps_its_sockets_elsewhere() -> None:
    deep = Path("/" + "deep/" * 30)
    sockets = place.socket_directory(deep)
    assert sockets.parent == Path(tempfile.gettempdir())
    assert len(str(sockets / ".s.PGSQL.5432.lock")) < 108
