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


class RunAudit(models.Model):
    """What a person did, or tried: with the change itself, and never changed again."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField()
    actor = models.TextField()
    role = models.TextField(default="")
    via = models.TextField(default="")
    deed = models.TextField()
    run_id = models.TextField(default="")
    order_ref = models.TextField(default="")
    outcome = models.TextField()
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.TextField(default="")
    told = models.TextField(default="")

    class Meta:
        db_table = "run_audit"

    def __str__(self) -> str:
        return f"{self.actor}: {self.deed} {self.order_ref or self.run_id}"
