"""The house rules: the way of imports, the place of SQL, pins, documented settings, lengths of files."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard import env

HOUSE = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "runs": {"dashboard", "examples", "bench", "tests"},
    "dashboard": {"examples", "bench", "tests"},
    "examples": {"dashboard", "bench", "tests"},
    "bench": {"tests"},
}
FILES_AT_THE_TOP = {
    "Makefile",
    "README.md",
    "manage.py",
    "pyproject.toml",
    "requirements-dev.txt",
    "requirements.txt",
    ".gitignore",
}
FOLDERS_AT_THE_TOP = {
    ".ci",
    "bench",
    "dashboard",
    "docs",
    "examples",
    "runs",
    "static",
    "templates",
    "tests",
}
EMPTY_NAMES = {
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "manager",
    "managers",
    "service",
    "services",
    "misc",
}
LONGEST_FILE_LINES = 300

TOUCHES_A_CURSOR = ("runs/db.py",)
ASKS_BY_SQL = re.compile(r"(?<!\bdb)\.(execute|executemany|raw|extra|cursor)\(|RawSQL\(|RunSQL\(")

# A test names the point at which a process of its own must die.
READS_THE_ENVIRONMENT = ("dashboard/env.py", "runs/crashpoints.py")


def kept(*folders: str, suffix: str = ".py") -> list[Path]:
    """The files that git keeps or would keep, so that a stray virtual environment does not count."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders]
    listed = subprocess.run(
        command, cwd=HOUSE, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [
        HOUSE / name for name in sorted(set(listed)) if name.endswith(suffix) and (HOUSE / name).is_file()
    ]


def imported(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, also inside a function."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


@pytest.mark.parametrize("floor", sorted(FORBIDDEN))
def test_imports_run_one_way(floor: str) -> None:
    upward = [
        f"{path.relative_to(HOUSE)} imports {module}"
        for path in kept(floor)
        for module in imported(path)
        if module.split(".")[0] in FORBIDDEN[floor]
    ]
    assert upward == []


def test_only_the_door_of_the_record_touches_a_cursor() -> None:
    outside = [
        f"{name}:{number}: {line.strip()}"
        for path in kept("runs", "dashboard")
        if (name := str(path.relative_to(HOUSE))) not in TOUCHES_A_CURSOR and "/migrations/" not in name
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if ASKS_BY_SQL.search(line)
    ]
    assert outside == []


def test_only_the_environment_module_reads_the_environment() -> None:
    """Writing is another matter: addresses of embedded servers are handed to children that way."""
    reads = re.compile(r"os\.getenv|environ\.get\(|environ\[[^\]]+\](?!\s*=[^=])")
    readers = [
        f"{path.relative_to(HOUSE)}:{number}"
        for path in kept("runs", "dashboard")
        if str(path.relative_to(HOUSE)) not in READS_THE_ENVIRONMENT
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if reads.search(line)
    ]
    assert readers == []


def test_every_setting_is_documented_and_every_documented_setting_exists() -> None:
    """README's table has one row a variable, its name in the first cell."""
    documented = set(re.findall(r"^\| `([A-Z][A-Z_]+)`", (HOUSE / "README.md").read_text(), re.MULTILINE))
    assert documented == {setting.name for setting in env.ALL}


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_requirements_are_pinned_exactly(name: str) -> None:
    lines = [line.split("#")[0].strip() for line in (HOUSE / name).read_text().splitlines()]
    loose = [
        line for line in lines if line and not re.fullmatch(r"-r \S+|[A-Za-z0-9_.-]+==[0-9][^ *]*", line)
    ]
    assert loose == []


def test_the_top_level_is_the_given_one() -> None:
    names = [path.relative_to(HOUSE).parts for path in kept(".", suffix="")]
    assert {parts[0] for parts in names if len(parts) == 1} == FILES_AT_THE_TOP
    assert {parts[0] for parts in names if len(parts) > 1} == FOLDERS_AT_THE_TOP


def test_no_module_is_named_for_nothing() -> None:
    named = [path for path in kept() if {path.stem, *path.relative_to(HOUSE).parts} & EMPTY_NAMES]
    assert named == []


def test_no_file_is_long() -> None:
    long = {
        str(path.relative_to(HOUSE)): lines
        for path in kept()
        if (lines := len(path.read_text().splitlines())) > LONGEST_FILE_LINES
    }
    assert long == {}
