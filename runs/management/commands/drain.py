"""Mark the worker processes that must stop claiming, list open drains, end one, and tell what became of its runs."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs import actions, db
from runs.drains import Receipt, receipt


class Command(BaseCommand):
    help = "Mark worker processes to stop claiming and give back their runs; list open drains; end one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        mark = verbs.add_parser("mark", help="bind the processes that are alive now")
        which = mark.add_mutually_exclusive_group(required=True)
        which.add_argument("--build", default="")
        which.add_argument("--node", default="")
        which.add_argument("--workers", nargs="+", default=[], metavar="NAME")
        mark.add_argument("--reason", default="")
        mark.add_argument("--actor", default="operator")
        end = verbs.add_parser("end", help="end a drain; processes that had no SIGTERM claim again")
        end.add_argument("drain_id", type=int)
        end.add_argument("--actor", default="operator")
        verbs.add_parser("list", help="list the open drains")
        told = verbs.add_parser("receipt", help="tell what became of the runs that a drain's processes held")
        told.add_argument("drain_id", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        verbs = {"mark": self._mark, "end": self._end, "list": self._list, "receipt": self._receipt}
        verbs[options["verb"]](options)

    def _mark(self, options: dict[str, Any]) -> None:
        actor = actions.Actor(options["actor"], options["reason"])
        drain = actions.mark_drain(
            actor, build=options["build"], node=options["node"], owners=options["workers"]
        )
        if not drain["bound"]:
            actions.end_drain(actor, drain["id"])
            raise CommandError("No living worker process matches, so nothing is drained.")
        self.stdout.write(
            f"Drain {drain['id']} binds {drain['bound']} worker processes; each stops claiming within one heartbeat."
        )

    def _end(self, options: dict[str, Any]) -> None:
        if not actions.end_drain(actions.Actor(options["actor"]), options["drain_id"]):
            raise CommandError(
                f"Drain {options['drain_id']} is not open; manage.py drain list shows those that are."
            )
        self.stdout.write(f"Drain {options['drain_id']} has ended.")

    def _list(self, options: dict[str, Any]) -> None:
        found = db.within("open_drains")
        for drain in found:
            named = [f"{name} {drain[name]}" for name in ("build", "node") if drain[name]] or [
                "named workers"
            ]
            self.stdout.write(
                f"{drain['id']}: {named[0]}, since {drain['marked_at']:%H:%M:%S} by {drain['actor']}: "
                f"{drain['alive']} of {drain['bound']} alive, {drain['acknowledged']} acknowledged, "
                f"{drain['held']} runs still held"
            )
        if not found:
            self.stdout.write("No drain is open.")

    def _receipt(self, options: dict[str, Any]) -> None:
        found = receipt(options["drain_id"])
        if found is None:
            raise CommandError(f"There is no drain {options['drain_id']}.")
        self.stdout.write("\n".join(_lines(found)))


def _lines(told: Receipt) -> list[str]:
    ended = f"{told.ended_at:%H:%M:%S}" if told.ended_at else "still open"
    lines = [
        f"{told.bound} worker process{_es(told.bound)} bound at {told.marked_at:%Y-%m-%d %H:%M:%S %Z}, {ended}",
        f"{told.finished:,} runs finished, {told.handed_over:,} handed over, {told.cut:,} cut, {told.held:,} still held",
        f"{told.in_doubt:,} went in doubt, {told.landed_late:,} of them landed late; {told.refused:,} late writes refused",
    ]
    if told.resumed_after:
        p50, p99, longest = told.resumed_after
        lines.append(
            f"cut runs were taken up {p50:.1f} s after their lease lapsed, p99 {p99:.1f} s, at most {longest:.1f} s"
        )
    return lines


def _es(count: int) -> str:
    return "" if count == 1 else "es"
