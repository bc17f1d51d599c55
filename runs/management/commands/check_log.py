"""Check the log's invariants against itself and the record."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from runs.checking import Checked, violations


class Command(BaseCommand):
    help = (
        "Check that epochs only rise, each has one owner, no move is missing from the log and no "
        "acknowledged result is lost. Prints one sentence per violation; exit status 1 if there is any."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--run", default="", metavar="ID", help="check one run only")

    def handle(self, *args: Any, **options: Any) -> None:
        checked, found = Checked(), 0
        for sentence in violations(checked, options["run"]):
            found += 1
            self.stdout.write(sentence)
        verdict = "no violation" if not found else f"{found} violation{'s' if found > 1 else ''}"
        self.stdout.write(f"Checked {checked.rows:,} rows of {checked.runs:,} runs: {verdict}.")
        if found:
            sys.exit(1)
