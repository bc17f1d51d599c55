from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from examples.purchase_orders.replay.deploy import ReplayFailed
from examples.purchase_orders.replay.parent import NurseryEnded
from examples.purchase_orders.replay.plan import Plan, PlanRefused, fitting_speed
from examples.purchase_orders.replay.play import play
from examples.purchase_orders.replay.progress import Progress
from examples.purchase_orders.replay.table import lines
from examples.purchase_orders.vendors.houses import VENDORS

BAD_ARGUMENTS = 2


def count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100_000:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to 100000")
    return int(text)


def times(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 1000:
        raise ArgumentTypeError(f"{text!r} is not a number from 0.1 to 1000")
    return value


def slow(text: str) -> tuple[str, float]:
    vendor, _, factor = text.partition("=")
    if vendor not in VENDORS:
        raise ArgumentTypeError(f"{vendor!r} is none of {', '.join(VENDORS)}; write Cardline=8, for example")
    return vendor, times(factor)


class Command(BaseCommand):
    help = (
        "Replay the deploy that restarted every run: real workers, real SIGTERMs, vendors with books of their own. "
        "Prints what the record and the books say, and ends with 1 where they disagree or a promise did not hold."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        number, flag = (
            partial(parser.add_argument, type=count),
            partial(parser.add_argument, action="store_true"),
        )
        number("--runs", default=200, help="runs in flight when the deploy begins (200)")
        number("--workers", default=4, help="worker processes of each build (4)")
        number("--threads", default=50, help="threads of each worker (50)")
        parser.add_argument("--speed", type=times, help="how much faster than real vendors are (fits --runs)")
        bad_day = "a vendor on a bad day, that many times slower than usual"
        parser.add_argument(
            "--slow", type=slow, action="append", default=[], metavar="VENDOR=TIMES", help=bad_day
        )
        parser.add_argument("--seed", type=int, default=2026, help="another seed draws other orders (2026)")
        flag("--naive", help="the old code: every message restarts at step one")
        flag("--json", help="print one JSON object")
        flag("--keep", help="keep the database, the books and the log")

    def handle(self, *, speed: float | None, slow: list[tuple[str, float]], **options: Any) -> None:
        given = {name: options[name] for name in ("runs", "workers", "threads", "naive", "seed")}
        progress = Progress(sys.stderr)
        try:
            plan = Plan(speed=speed or fitting_speed(options["runs"]), slow=tuple(slow), **given)
            found = play(plan, progress, keep=options["keep"])
        except PlanRefused as refusal:
            raise CommandError(str(refusal), returncode=BAD_ARGUMENTS) from None
        except (ReplayFailed, NurseryEnded) as failure:
            raise CommandError(str(failure)) from None
        finally:
            progress.end()
        self.stdout.write(
            json.dumps(found.as_json(), indent=2) if options["json"] else "\n".join(lines(found))
        )
        if not found.holds:
            sys.exit(1)
