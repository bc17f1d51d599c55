"""`manage.py up`: everything on this machine, until Ctrl-C."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection
from kombu.exceptions import OperationalError as BrokerAway

from dashboard import celery_app, env
from dashboard.embedded import place
from dashboard.embedded.commands import move_in
from dashboard.supervise.claims import demand_port, sole_supervisor
from dashboard.supervise.console import say
from dashboard.supervise.crew import crew
from dashboard.supervise.supervisor import supervise


class Command(BaseCommand):
    help = (
        "Start the embedded servers, the web, workers, beat and the purchase-order example; Ctrl-C stops all."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        data = place.data_directory()
        place.make(data)
        place.closed_directory(data / "logs")
        with sole_supervisor(data):
            demand_port(env.PORT.value())
            self._run()

    def _run(self) -> None:
        began = time.monotonic()
        tenancy = move_in()
        try:
            greeting = self._prepare(began)
            children = crew(settings.DATA_DIR)
            say("starting", ", ".join(child.name for child in children))
            greet = partial(print, greeting, flush=True)
            tend = tenancy.tend if tenancy is not None else list
            asyncio.run(supervise(children, settings.DATA_DIR / "logs", env.PORT.value(), greet, tend))
        finally:
            if tenancy is not None:
                tenancy.leave()
        say("stopped", f"the data stay in {settings.DATA_DIR}")

    def _prepare(self, began: float) -> str:
        """Everything that the children find done. Returns what to tell the person once the web answers."""
        _demand_broker()
        say("servers", f"PostgreSQL and the broker answer after {time.monotonic() - began:.1f} s")
        self.check()
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        sign_ins = StringIO()
        call_command("demo_users", indent=4, stdout=sign_ins)
        # The children have pools of their own.
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # The stubs of Django 5.2 leave it out.
        address = f"http://127.0.0.1:{env.PORT.value()}"
        return f"\n  {address}\n\n{sign_ins.getvalue()}\n  Ctrl-C stops everything.\n"


def _demand_broker() -> None:
    try:
        with celery_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, timeout=3)
    except (BrokerAway, OSError):
        raise env.SettingRefused(
            "No broker answers at CELERY_BROKER_URL: start it, correct it, or unset it for the embedded one."
        ) from None
