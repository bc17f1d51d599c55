"""Stop a step, a vendor or a workflow everywhere, list what is stopped, and lift it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs import actions, db


class Command(BaseCommand):
    help = "Stop a step, vendor or workflow from being begun anywhere; list and lift such holds."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        place = verbs.add_parser("place", help="place a hold")
        place.add_argument("--workflow", default="")
        place.add_argument("--step", default="", help="the step's first name; needs --workflow")
        place.add_argument("--vendor", default="")
        place.add_argument("--reason", required=True)
        place.add_argument("--actor", default="operator")
        lift = verbs.add_parser("lift", help="lift one hold, or all")
        lift.add_argument("hold_id", type=int, nargs="?")
        lift.add_argument("--all", action="store_true")
        lift.add_argument("--actor", default="operator")
        verbs.add_parser("list", help="list the holds in force")

    def handle(self, *args: Any, **options: Any) -> None:
        {"place": self._place, "lift": self._lift, "list": self._list}[options["verb"]](options)

    def _place(self, options: dict[str, Any]) -> None:
        where = {name: options[name] for name in ("workflow", "step", "vendor")}
        if not where["workflow"] and not where["vendor"]:
            raise CommandError("Name what to stop: --workflow, --workflow with --step, or --vendor.")
        if where["step"] and not where["workflow"]:
            raise CommandError(
                f"Step {where['step']!r} needs its --workflow: steps of different workflows may share a name."
            )
        hold_id = actions.emergency_hold(actions.Actor(options["actor"], options["reason"]), **where)
        stopped = " ".join(f"{name} {value}" for name, value in where.items() if value)
        self.stdout.write(
            f"Emergency hold {hold_id} stops {stopped}. Lift it with: manage.py emergency_hold lift {hold_id}"
        )

    def _lift(self, options: dict[str, Any]) -> None:
        if options["hold_id"] is None and not options["all"]:
            raise CommandError("Say which hold to lift, by its id, or --all.")
        lifted = actions.lift_emergency_hold(actions.Actor(options["actor"]), options["hold_id"])
        if not lifted:
            raise CommandError(
                "No such hold is in force; manage.py emergency_hold list shows those that are."
            )
        self.stdout.write(f"Lifted {lifted}. The runs that waited are due at the next sweep.")

    def _list(self, options: dict[str, Any]) -> None:
        found = db.within("emergency_holds")
        for hold in found:
            where = " ".join(filter(None, (hold["workflow"], hold["step"], hold["vendor"])))
            self.stdout.write(
                f"{hold['id']}: {where}, since {hold['placed_at']:%Y-%m-%d %H:%M:%S %Z} by {hold['actor']}: {hold['reason']}"
            )
        if not found:
            self.stdout.write("No emergency hold is in force.")
