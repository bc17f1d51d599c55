"""Fill the database with made-up runs, to measure pages at the size of years."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs.loading.load import LoadRefused, load

MOST = 100_000_000


def count(text: str) -> int:
    return _whole(text, 1)


def count_or_none(text: str) -> int:
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= MOST:
        raise ArgumentTypeError(f"{text!r} is not a whole number from {least} to {MOST}")
    return int(text)


class Command(BaseCommand):
    help = "Make runs of two years with labels, states and logs. For a database to measure on, where no worker lives."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--runs", type=count, required=True)
        parser.add_argument("--seed", type=count, default=1, help="another seed makes other runs beside (1)")
        parser.add_argument(
            "--workflow", default="purchase_order", help="whose runs they are (purchase_order)"
        )
        parser.add_argument("--log-days", type=count, default=30, help="how far back the log reaches (30)")
        parser.add_argument(
            "--unfinished", type=count_or_none, help="how many have not ended (2 in 100, 2000 at most)"
        )

    def handle(
        self,
        *,
        runs: int,
        seed: int,
        workflow: str,
        log_days: int,
        unfinished: int | None = None,
        **options: Any,
    ) -> None:
        began = time.monotonic()
        try:
            for made in load(runs, seed, workflow, log_days, unfinished):
                if options["verbosity"]:
                    left = (time.monotonic() - began) * (runs - made) / made
                    sys.stderr.write(f"{made:,} of {runs:,} runs, about {left:.0f} s left\n")
        except LoadRefused as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(f"{runs:,} runs made in {time.monotonic() - began:.0f} s.")
