"""What people decide about runs."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models


class RunDoubt(models.Model):
    """One effect in doubt: a case."""

    id = models.BigAutoField(primary_key=True)
    run_id = models.TextField()
    step = models.TextField()
    item = models.TextField(null=True)  # noqa: DJ001
    generation = models.IntegerField()
    reason = models.TextField()
    opened_by = models.TextField(default="")
    owner = models.TextField(null=True)  # noqa: DJ001
    epoch = models.BigIntegerField()
    start_cursor = models.JSONField()
    held_epoch = models.BigIntegerField(null=True)
    attempts = models.IntegerField(default=1)
    owners = ArrayField(models.TextField(), default=list)
    amount = models.DecimalField(max_digits=30, decimal_places=9, null=True)
    currency = models.TextField(default="")
    known = models.BooleanField(default=False)
    evidence = models.JSONField(default=list)
    version = models.IntegerField(default=1)
    opened_at = models.DateTimeField()
    decision = models.TextField(null=True)  # noqa: DJ001
    decided_by = models.TextField(null=True)  # noqa: DJ001
    decided_at = models.DateTimeField(null=True)
    effective_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    outcome = models.TextField(default="")

    class Meta:
        db_table = "run_doubt"

    def __str__(self) -> str:
        return f"{self.run_id} {self.step}"


class RunSeen(models.Model):
    """Until which epoch a person has seen this run fail: at a later one its failure is unseen again."""

    run_id = models.TextField(primary_key=True)
    epoch = models.BigIntegerField()
    seen_by = models.TextField()
    seen_at = models.DateTimeField()

    class Meta:
        db_table = "run_seen"

    def __str__(self) -> str:
        return f"{self.run_id} at epoch {self.epoch}"
