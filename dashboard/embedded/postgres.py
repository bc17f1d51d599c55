"""The embedded PostgreSQL: made, started, adopted and stopped, always under the tenancy's gate."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import psutil
import psycopg

from dashboard.embedded import EmbeddedRefused, account, place

START_SECONDS = 60

# A crash of this server may cost the tests' rows, which nobody keeps.
FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def ensure(data: Path, *, forgetful: bool = False) -> bool:
    """Have the server of this directory answer. True if it was started now, False if it was running."""
    directory = data / "postgres"
    if _answers(data):
        return False
    _await_or_refuse(data, directory)
    if _answers(data):
        return False
    account.refuse_closed(data)
    if not (directory / "PG_VERSION").exists():
        _make(directory, forgetful)
    _configure(directory, place.socket_directory(data), FORGETFUL if forgetful else {})
    _start(directory)
    _have_database(data)
    return True


def stop(data: Path) -> None:
    """Disconnect everyone and stop. A server that is already gone is no error."""
    directory = data / "postgres"
    if _postmaster(directory) is not None:
        _run(directory, "pg_ctl", "-w", "-m", "fast", "-t", str(START_SECONDS), "stop")


def _answers(data: Path) -> bool:
    try:
        with psycopg.connect(place.database_url(data), connect_timeout=3):
            return True
    except psycopg.OperationalError:
        return False


def _await_or_refuse(data: Path, directory: Path) -> None:
    """A postmaster that lives but does not answer is starting or stopping, or not ours to touch."""
    deadline = time.monotonic() + START_SECONDS / 2
    while (holder := _holder(directory)) is not None:
        if _answers(data):
            return
        if time.monotonic() > deadline:
            raise EmbeddedRefused(
                f"{directory} is held by process {holder}, which does not answer: "
                f"stop it with `kill -INT {holder}`, or set LEASEBOARD_DATA to another directory."
            )
        time.sleep(0.2)


def _holder(directory: Path) -> int | None:
    """A living process of this server. Where there is none, lock files that were left behind are removed.

    PostgreSQL itself would trust the number in them, though it may be a zombie's or anybody's by now. It
    also leaves a killed server's backends a moment to go: two servers on one directory would ruin it.
    """
    holder = _postmaster(directory) or _orphan(directory)
    if holder is None:
        (directory / "postmaster.pid").unlink(missing_ok=True)
        (place.socket_directory(directory.parent) / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
    return holder


def _postmaster(directory: Path) -> int | None:
    try:
        pid = int((directory / "postmaster.pid").read_text().split(maxsplit=1)[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None
    return pid if _serves(pid, directory) else None


def _orphan(directory: Path) -> int | None:
    """A backend that outlives its postmaster."""
    named = (process.pid for process in psutil.process_iter(["name"]) if process.info["name"] == "postgres")
    return next((pid for pid in named if _serves(pid, directory)), None)


def _serves(pid: int, directory: Path) -> bool:
    """Whether this is a living process of the server: each of them works in the data directory."""
    try:
        process = psutil.Process(pid)
        alive = process.name() == "postgres" and process.status() != psutil.STATUS_ZOMBIE
        return alive and Path(process.cwd()) == directory.resolve()
    except psutil.Error:
        # Gone meanwhile, or another user's, whose server could not work in a directory of ours.
        return False


def _make(directory: Path, forgetful: bool) -> None:
    """initdb into a draft and rename it: an interrupted initdb leaves nothing that looks like a database."""
    draft = directory.with_name("postgres.draft")
    shutil.rmtree(draft, ignore_errors=True)
    account.own(draft)
    options = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    _run(
        draft,
        "initdb",
        *options,
        "--auth=trust",
        "--username=postgres",
        *(["--no-sync"] if forgetful else []),
    )
    with (draft / "postgresql.conf").open("a") as configuration:
        configuration.write("\ninclude_if_exists = 'leaseboard.conf'\n")
    draft.rename(directory)


def _configure(directory: Path, sockets: Path, more: dict[str, str]) -> None:
    account.own(sockets)
    quoted = str(sockets).replace("'", "''").replace('"', '""')
    settings = {
        "listen_addresses": "''",
        "unix_socket_directories": f"'\"{quoted}\"'",
        "unix_socket_permissions": "0700",
        "max_connections": "500",
        "timezone": "'UTC'",
        # A failing statement, and the row that it fails on, hold payloads: neither belongs in a log.
        "log_error_verbosity": "terse",
        "log_min_error_statement": "panic",
        **more,
    }
    lines = [f"{name} = {value}" for name, value in settings.items()]
    (directory / "leaseboard.conf").write_text("# Written at each start.\n" + "\n".join(lines) + "\n")
    (directory / "leaseboard.conf").chmod(0o644)


def _start(directory: Path) -> None:
    log = directory / "server.log"
    _run(directory, "pg_ctl", "-w", "-t", str(START_SECONDS), "-l", str(log), "start")


def _have_database(data: Path) -> None:
    try:
        psycopg.connect(place.database_url(data)).close()
    except psycopg.OperationalError:
        sockets = place.socket_directory(data)
        _run(None, "createdb", "-h", str(sockets), "-U", "postgres", place.DATABASE)


def _run(directory: Path | None, program: str, *options: str) -> None:
    """Run one of PostgreSQL's programs as its account, untouched by the caller's PG* variables."""
    where = [] if directory is None else ["-D", str(directory)]
    finished = subprocess.run(
        [str(account.binaries() / program), *where, *options],
        cwd=directory or "/",
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        **account.run_as(),
    )
    if finished.returncode != 0:
        raise EmbeddedRefused(_reason(directory, program, finished.stderr))


def _reason(directory: Path | None, program: str, complaint: str) -> str:
    """The last line that the server or the program wrote is the one that names the cause."""
    log = (directory or Path()) / "server.log"
    written = log.read_text(errors="replace") if log.is_file() else ""
    fatal = [line for line in written.splitlines()[-20:] if "FATAL" in line or "PANIC" in line]
    lines = fatal or complaint.strip().splitlines() or ["it gave no reason"]
    return f"PostgreSQL's {program} failed ({lines[-1].strip()}): mend that, or set DATABASE_URL."
