"""`manage.py demo_users`: three people to sign in as, one for each role."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

PEOPLE = {"sam": "support", "olga": "ops", "mara": "manager"}


class Command(BaseCommand):
    help = "Make sam (support), olga (ops) and mara (manager), and print how to sign in. Safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--indent", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        passwords = _passwords(settings.DATA_DIR / "sign-ins.json")
        for name, role in PEOPLE.items():
            with transaction.atomic():
                _person(name, role, passwords[name])
            self.stdout.write(f"{' ' * options['indent']}{role:<9}{name:<6}{passwords[name]}")


def _person(name: str, role: str, password: str) -> None:
    user, _ = User.objects.get_or_create(username=name)
    # A hash made again would end the sessions of whoever is signed in.
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    user.groups.add(Group.objects.get(name=role))


def _passwords(path: Path) -> dict[str, str]:
    """Made once and kept in the data directory, so that a sign-in survives a restart."""
    if path.exists():
        return dict(json.loads(path.read_text()))
    made = {name: secrets.token_urlsafe(9) for name in PEOPLE}
    path.touch(mode=0o600)
    path.write_text(json.dumps(made))
    return made
