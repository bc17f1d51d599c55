"""Where in the log a drain began and ended, so that its receipt reads no more of it than that."""

from __future__ import annotations

from django.db import migrations, models

ADD = """
ALTER TABLE run_drain ADD COLUMN marked_xid xid8 NOT NULL DEFAULT pg_current_xact_id(), ADD COLUMN ended_xid xid8;
COMMENT ON COLUMN run_drain.marked_xid IS 'The transaction of the mark: the receipt reads the log from here.';
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0001_record")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(ADD)],
            state_operations=[
                migrations.AddField("rundrain", "marked_xid", models.BigIntegerField(default=0)),
                migrations.AddField("rundrain", "ended_xid", models.BigIntegerField(null=True)),
            ],
        )
    ]
