"""The real psql, as a person at a terminal or a worker written in nothing but SQL uses it."""

from __future__ import annotations

import subprocess

from dashboard.embedded import account


def psql(url: str, script: str, **variables: object) -> subprocess.CompletedProcess[str]:
    """Run a script, stopping at its first error; its rows are on stdout, bare and unaligned."""
    command = [str(account.binaries() / "psql"), "-X", "-q", "-A", "-t", "-F", "|", "-v", "ON_ERROR_STOP=1"]
    for name, value in variables.items():
        command += ["-v", f"{name}={value}"]
    return subprocess.run([*command, url], input=script, capture_output=True, text=True, timeout=30)


def rows(url: str, script: str, **variables: object) -> list[list[str]]:
    done = psql(url, script, **variables)
    assert done.returncode == 0, done.stderr
    return [line.split("|") for line in done.stdout.splitlines()]
