"""The permissions of everything that people do to runs, and the roles that have them."""

from __future__ import annotations

from typing import Any

from django.db import migrations

from dashboard.roles import NAMES, ensure_roles


def give_roles(apps: Any, schema_editor: Any) -> None:
    ensure_roles(apps)


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0002_reading")]
    operations = [
        migrations.AlterModelOptions(
            name="access",
            options={"permissions": list(NAMES.items()), "default_permissions": (), "managed": False},
        ),
        migrations.RunPython(give_roles, migrations.RunPython.noop),
    ]
