"""What lists need to know without counting years: which failures nobody has seen, and how many runs have ended."""

from __future__ import annotations

from django.db import migrations, models

# run_seen keeps who saw a failure and when. The number stands on the row as well, so that the few unseen
# failures have an index of their own: joining the two would cost more with each failure of all the years.
ADD = """
ALTER TABLE run_state ADD COLUMN seen_epoch bigint;
COMMENT ON COLUMN run_state.seen_epoch IS 'The failure at this epoch has been seen by a person.';
UPDATE run_state AS r SET seen_epoch = s.epoch FROM run_seen AS s WHERE s.run_id = r.run_id;
CREATE INDEX run_state_unseen ON run_state (created_at, run_id)
    WHERE status = 'failed' AND seen_epoch IS DISTINCT FROM epoch;

CREATE TABLE run_tally (
    status text NOT NULL,
    since  timestamptz NOT NULL,
    runs   bigint NOT NULL,
    PRIMARY KEY (status, since)
);
COMMENT ON TABLE run_tally IS 'How many runs came to each end: all of them at -infinity, those of late by quarter hour.';
"""
REMOVE = "DROP TABLE run_tally; DROP INDEX run_state_unseen; ALTER TABLE run_state DROP COLUMN seen_epoch;"


class Migration(migrations.Migration):
    dependencies = [("runs", "0004_audit")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(ADD, REMOVE)],
            state_operations=[
                migrations.AddField("RunState", "seen_epoch", models.BigIntegerField(null=True)),
                migrations.CreateModel(
                    name="RunTally",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "status",
                                "since",
                                blank=True,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("status", models.TextField()),
                        ("since", models.DateTimeField()),
                        ("runs", models.BigIntegerField()),
                    ],
                    options={"db_table": "run_tally"},
                ),
            ],
        )
    ]
