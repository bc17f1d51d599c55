"""Which failures a person has seen."""

from __future__ import annotations

from django.db import migrations, models

ADD = """
CREATE TABLE run_seen (
    run_id  text PRIMARY KEY,
    epoch   bigint NOT NULL,
    seen_by text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN run_seen.epoch IS 'The failure at this epoch is seen; one at a later epoch is not.';
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0002_drain_positions")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(ADD, "DROP TABLE run_seen")],
            state_operations=[
                migrations.CreateModel(
                    name="RunSeen",
                    fields=[
                        ("run_id", models.TextField(primary_key=True, serialize=False)),
                        ("epoch", models.BigIntegerField()),
                        ("seen_by", models.TextField()),
                        ("seen_at", models.DateTimeField()),
                    ],
                    options={"db_table": "run_seen"},
                )
            ],
        )
    ]
