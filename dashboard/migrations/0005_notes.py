from __future__ import annotations

import uuid
from typing import Any

import django.db.models.functions.datetime
from django.db import migrations, models

from dashboard.roles import ensure_roles

# A note is evidence of what was told to whom and when: it is never changed.
APPEND_ONLY = """
CREATE FUNCTION dashboard_note_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'Notes are append-only: % is refused. Write another note.', TG_OP USING ERRCODE = 'LB002';
END $$;
CREATE TRIGGER dashboard_note_no_change BEFORE UPDATE OR DELETE ON dashboard_note
    FOR EACH ROW EXECUTE FUNCTION dashboard_note_stays();
"""
CHANGEABLE = "DROP TRIGGER dashboard_note_no_change ON dashboard_note; DROP FUNCTION dashboard_note_stays();"


def make_roles(apps: Any, schema_editor: Any) -> None:
    ensure_roles(apps)


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0004_follows"), ("runs", "0001_record")]
    operations = [
        migrations.CreateModel(
            name="Note",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("run_id", models.TextField()),
                ("author", models.TextField()),
                ("text", models.TextField()),
                ("follow_up_at", models.DateTimeField(blank=True, null=True)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("once", models.UUIDField(default=uuid.uuid4, unique=True)),
            ],
            options={
                "default_permissions": (),
                "indexes": [models.Index(fields=["run_id", "id"], name="dashboard_note_run")],
            },
        ),
        migrations.RunSQL(APPEND_ONLY, CHANGEABLE),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
