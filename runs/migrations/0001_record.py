"""The record's tables, guard and log: the DDL is in runs/sql/schema, read in the order of its names."""

from __future__ import annotations

from pathlib import Path

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

PARTS = sorted((Path(__file__).parent.parent / "sql" / "schema").glob("*.sql"))


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(part.read_text(encoding="utf-8")) for part in PARTS],
            state_operations=[
                migrations.CreateModel(
                    name="RunCatalogue",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("workflow", models.TextField()),
                        ("build", models.TextField()),
                        ("body", models.JSONField()),
                        ("published_at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "run_catalogue",
                    },
                ),
                migrations.CreateModel(
                    name="RunDoubt",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("run_id", models.TextField()),
                        ("step", models.TextField()),
                        ("item", models.TextField(null=True)),
                        ("generation", models.IntegerField()),
                        ("reason", models.TextField()),
                        ("opened_by", models.TextField(default="")),
                        ("owner", models.TextField(null=True)),
                        ("epoch", models.BigIntegerField()),
                        ("start_cursor", models.JSONField()),
                        ("held_epoch", models.BigIntegerField(null=True)),
                        ("attempts", models.IntegerField(default=1)),
                        (
                            "owners",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.TextField(), default=list, size=None
                            ),
                        ),
                        ("amount", models.DecimalField(decimal_places=9, max_digits=30, null=True)),
                        ("currency", models.TextField(default="")),
                        ("known", models.BooleanField(default=False)),
                        ("evidence", models.JSONField(default=list)),
                        ("version", models.IntegerField(default=1)),
                        ("opened_at", models.DateTimeField()),
                        ("decision", models.TextField(null=True)),
                        ("decided_by", models.TextField(null=True)),
                        ("decided_at", models.DateTimeField(null=True)),
                        ("effective_at", models.DateTimeField(null=True)),
                        ("closed_at", models.DateTimeField(null=True)),
                        ("outcome", models.TextField(default="")),
                    ],
                    options={
                        "db_table": "run_doubt",
                    },
                ),
                migrations.CreateModel(
                    name="RunDrain",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("build", models.TextField(default="")),
                        ("node", models.TextField(default="")),
                        ("actor", models.TextField()),
                        ("reason", models.TextField(default="")),
                        ("marked_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("ended_by", models.TextField(null=True)),
                    ],
                    options={
                        "db_table": "run_drain",
                    },
                ),
                migrations.CreateModel(
                    name="RunEmergencyHold",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("workflow", models.TextField(default="")),
                        ("step", models.TextField(default="")),
                        ("vendor", models.TextField(default="")),
                        ("actor", models.TextField()),
                        ("reason", models.TextField()),
                        ("placed_at", models.DateTimeField()),
                        ("lifted_at", models.DateTimeField(null=True)),
                        ("lifted_by", models.TextField(null=True)),
                    ],
                    options={
                        "db_table": "run_emergency_hold",
                    },
                ),
                migrations.CreateModel(
                    name="RunItem",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("run_id", models.TextField()),
                        ("step", models.TextField()),
                        ("item", models.TextField()),
                        ("generation", models.IntegerField()),
                        ("epoch", models.BigIntegerField()),
                        ("attempt", models.IntegerField()),
                        ("result", models.JSONField(null=True)),
                        ("at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "run_item",
                    },
                ),
                migrations.CreateModel(
                    name="RunLabel",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("run_id", models.TextField()),
                        ("name", models.TextField()),
                        ("value", models.TextField()),
                        ("folded", models.TextField(default="")),
                        ("currency", models.TextField(default="")),
                    ],
                    options={
                        "db_table": "run_label",
                    },
                ),
                migrations.CreateModel(
                    name="RunOutput",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("run_id", models.TextField()),
                        ("step", models.TextField()),
                        ("item", models.TextField(null=True)),
                        ("generation", models.IntegerField()),
                        ("epoch", models.BigIntegerField()),
                        ("attempt", models.IntegerField(null=True)),
                        ("kind", models.TextField()),
                        ("value", models.JSONField(null=True)),
                        ("raw", models.TextField(null=True)),
                        ("at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "run_output",
                    },
                ),
                migrations.CreateModel(
                    name="RunPulse",
                    fields=[
                        ("name", models.TextField(primary_key=True, serialize=False)),
                        ("at", models.DateTimeField()),
                        ("detail", models.JSONField(default=dict)),
                    ],
                    options={
                        "db_table": "run_pulse",
                    },
                ),
                migrations.CreateModel(
                    name="RunState",
                    fields=[
                        ("run_id", models.TextField(primary_key=True, serialize=False)),
                        ("epoch", models.BigIntegerField(default=0)),
                        ("cursor", models.JSONField()),
                        ("completed", models.JSONField(default=dict)),
                        ("input", models.JSONField()),
                        ("lease_owner", models.TextField(null=True)),
                        ("lease_expires_at", models.DateTimeField(null=True)),
                        ("updated_at", models.DateTimeField()),
                        ("workflow", models.TextField(default="")),
                        ("created_at", models.DateTimeField()),
                        ("wake_at", models.DateTimeField(null=True)),
                        ("status", models.TextField(default="")),
                        ("step", models.TextField(default="")),
                        ("order_ref", models.TextField(default="")),
                        ("generation", models.IntegerField(default=0)),
                        ("entered_generation", models.IntegerField(default=0)),
                        ("first_started_at", models.DateTimeField(null=True)),
                        ("may_send_until", models.DateTimeField(null=True)),
                        (
                            "lapses",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.TextField(), default=list, size=None
                            ),
                        ),
                        ("signals", models.JSONField(default=dict)),
                    ],
                    options={
                        "db_table": "run_state",
                    },
                ),
                migrations.CreateModel(
                    name="RunTransition",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("incarnation", models.IntegerField(default=1)),
                        ("xid", models.BigIntegerField()),
                        ("run_id", models.TextField()),
                        ("kind", models.TextField()),
                        ("epoch", models.BigIntegerField()),
                        ("generation", models.IntegerField()),
                        ("cursor_before", models.JSONField(null=True)),
                        ("cursor_after", models.JSONField(null=True)),
                        ("owner_before", models.TextField(null=True)),
                        ("owner_after", models.TextField(null=True)),
                        ("completed_step", models.TextField(null=True)),
                        ("began_step", models.TextField(null=True)),
                        ("attempt", models.IntegerField(null=True)),
                        ("lease_event", models.TextField(null=True)),
                        ("lapsed_at", models.DateTimeField(null=True)),
                        ("result_hash", models.BinaryField(null=True)),
                        ("told", models.TextField(null=True)),
                        ("build", models.TextField(null=True)),
                        ("actor", models.TextField(null=True)),
                        ("reason", models.TextField(null=True)),
                        ("at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "run_transition",
                    },
                ),
                migrations.CreateModel(
                    name="RunWorker",
                    fields=[
                        ("owner", models.TextField(primary_key=True, serialize=False)),
                        ("name", models.TextField()),
                        ("build", models.TextField()),
                        ("host", models.TextField(default="")),
                        ("pod", models.TextField(default="")),
                        ("node", models.TextField(default="")),
                        ("pid", models.IntegerField(default=0)),
                        ("threads", models.IntegerField(default=0)),
                        ("heartbeat_seconds", models.FloatField()),
                        ("ttl_seconds", models.FloatField()),
                        ("grace_seconds", models.FloatField()),
                        ("booted_at", models.DateTimeField()),
                        ("last_beat_at", models.DateTimeField()),
                        (
                            "beats",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.FloatField(), default=list, size=None
                            ),
                        ),
                        ("pause_seconds", models.FloatField(default=0)),
                        ("offset_seconds", models.FloatField(default=0)),
                        ("inside", models.JSONField(default=list)),
                        ("last_claim_at", models.DateTimeField(null=True)),
                        ("sigterm_at", models.DateTimeField(null=True)),
                        ("acknowledged_at", models.DateTimeField(null=True)),
                        ("stopped_at", models.DateTimeField(null=True)),
                        ("gone_at", models.DateTimeField(null=True)),
                        ("gone_by", models.TextField(null=True)),
                    ],
                    options={
                        "db_table": "run_worker",
                    },
                ),
                migrations.CreateModel(
                    name="RunDrainBound",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("owner", models.TextField()),
                        ("acknowledged_at", models.DateTimeField(null=True)),
                        (
                            "drain",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.DO_NOTHING, to="runs.rundrain"
                            ),
                        ),
                    ],
                    options={
                        "db_table": "run_drain_bound",
                    },
                ),
            ],
        ),
    ]
