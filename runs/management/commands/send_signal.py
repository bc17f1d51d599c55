"""Answer what a run waits for, from a shell."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs import actions, db
from runs.tasks import dispatch


class Command(BaseCommand):
    help = (
        "Send a signal to a run that waits for one, for example: send_signal ret_8f3c1a approve --actor mara"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_id")
        parser.add_argument("name")
        parser.add_argument("--payload", default="null", help="JSON")
        parser.add_argument("--id", dest="signal_id", help="the same id twice is one signal")
        parser.add_argument("--actor", default="operator")

    def handle(self, *args: Any, **options: Any) -> None:
        run_id, name = options["run_id"], options["name"]
        try:
            payload = json.loads(options["payload"])
        except ValueError as error:
            raise CommandError(
                f"--payload is no JSON: {error}. Quote text, for example --payload '\"yes\"'."
            ) from error
        found = db.within("standing", run_id=run_id)
        if not found:
            raise CommandError(f"There is no run {run_id!r}.")
        now = found[0]
        if now["status"] != "waiting" or now["cursor"].get("signal") != name:
            waits = now["cursor"].get("signal")
            raise CommandError(
                f"Run {run_id} does not wait for {name!r}; it is {now['status']}"
                + (f" for {waits!r}." if waits else ".")
            )
        try:
            fresh = actions.signal(
                run_id,
                now["step"],
                now["generation"],
                name,
                payload,
                actions.Actor(options["actor"]),
                signal_id=options["signal_id"],
            )
        except (actions.NotDone, actions.SignalRefused) as error:
            raise CommandError(str(error)) from error
        queued = dispatch(run_id)
        self.stdout.write("Told." if fresh else "Told before; nothing was changed.")
        if not queued:
            self.stdout.write("The queue is down; the sweep will start it.")
