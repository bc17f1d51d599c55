"""Where the embedded parts live, and the addresses that follow from that. Nothing here starts anything."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from dashboard import env

ROOT_HOME = Path("/var/lib/leaseboard")
DATABASE = "leaseboard"

# A socket's whole path must fit into sockaddr_un, 108 bytes with its final zero. PostgreSQL's socket has the
# longest name; the rest is room for its lock file.
LONGEST_SOCKET_DIRECTORY = 107 - len("/.s.PGSQL.5432.lock")


def data_directory() -> Path:
    """LEASEBOARD_DATA; else <repository>/.leaseboard, or, for root, where the server's user can enter."""
    given = env.DATA.value()
    if given is not None:
        return given
    if os.geteuid() == 0:
        return ROOT_HOME / f"{env.REPOSITORY.name}-{_digest(env.REPOSITORY)}"
    return env.REPOSITORY / ".leaseboard"


def socket_directory(data: Path | None = None) -> Path:
    """The folder of both sockets: a short one in the system's temporary folder when the data lie deep."""
    beside = (data or data_directory()) / "run"
    if len(os.fsencode(beside)) <= LONGEST_SOCKET_DIRECTORY:
        return beside
    return Path(tempfile.gettempdir()) / f"leaseboard-{os.geteuid()}-{_digest(beside)}"


def database_url(data: Path | None = None) -> str:
    return f"postgresql://postgres@/{DATABASE}?host={quote(str(socket_directory(data)), safe='')}"


def broker_url(data: Path | None = None) -> str:
    return f"redis+socket://{socket_directory(data) / 'valkey.sock'}"


def make(data: Path) -> None:
    """Make the data directory: closed to others, but root's lets the server's account pass to its own folder.

    Raises SettingRefused where it cannot be made or belongs to somebody else.
    """
    try:
        if not data.is_dir():
            data.mkdir(parents=True, exist_ok=True)
            data.chmod(0o711 if os.geteuid() == 0 else 0o700)
    except OSError:
        raise _not_ours(data) from None
    if not os.access(data, os.W_OK | os.X_OK):
        raise _not_ours(data)


def closed_directory(path: Path, *owners: int) -> None:
    """Make a folder that only its owner enters: this user, or one of those given.

    The name of a folder in the system's temporary folder can be guessed, and whoever made it first could put
    a server of his own behind our socket.
    """
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
        if found.st_uid not in (os.geteuid(), *owners) or not stat.S_ISDIR(found.st_mode):
            raise env.SettingRefused(f"{path} belongs to somebody else: remove it, or set LEASEBOARD_DATA.")
        path.chmod(0o700)
    except OSError:
        raise _not_ours(path.parent) from None


def secret_key() -> str:
    """The key that signs this installation's sessions: made once, readable by its owner only."""
    path = data_directory() / "secret-key"
    with suppress(FileNotFoundError):
        return path.read_text().strip()
    try:
        make(path.parent)
        return _written_once(path, secrets.token_urlsafe(50))
    except PermissionError:
        raise _not_ours(path.parent) from None


def _written_once(path: Path, text: str) -> str:
    """Two processes that start together agree on one key: the link of a complete file succeeds only once."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(text)
    with suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
    return path.read_text().strip()


def _not_ours(data: Path) -> env.SettingRefused:
    return env.SettingRefused(f"{data} cannot be written: set LEASEBOARD_DATA to a directory of your own.")


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
