from __future__ import annotations

from typing import Any

from django.db import migrations, models

from dashboard.roles import ensure_roles


def make_roles(apps: Any, schema_editor: Any) -> None:
    ensure_roles(apps)


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.CreateModel(
            name="Access",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                )
            ],
            options={
                "permissions": [("see_orders", "May look at orders and their runs")],
                "default_permissions": (),
                "managed": False,
            },
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
