"""The runs themselves, their log and what they produced."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models


class RunState(models.Model):
    """One run: where it is, what it has produced, what it needs, who may advance it until when."""

    run_id = models.TextField(primary_key=True)
    epoch = models.BigIntegerField(default=0)
    cursor = models.JSONField()
    completed = models.JSONField(default=dict)
    input = models.JSONField()
    lease_owner = models.TextField(null=True)  # noqa: DJ001 - null is "nobody", by contract with every worker
    lease_expires_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField()
    workflow = models.TextField(default="")
    created_at = models.DateTimeField()
    wake_at = models.DateTimeField(null=True)
    status = models.TextField(default="")
    step = models.TextField(default="")
    order_ref = models.TextField(default="")
    generation = models.IntegerField(default=0)
    entered_generation = models.IntegerField(default=0)
    first_started_at = models.DateTimeField(null=True)
    may_send_until = models.DateTimeField(null=True)
    lapses = ArrayField(models.TextField(), default=list)
    signals = models.JSONField(default=dict)
    seen_epoch = models.BigIntegerField(null=True)

    class Meta:
        db_table = "run_state"

    def __str__(self) -> str:
        return self.order_ref or self.run_id


class RunTransition(models.Model):
    """One move of a run. Append-only; partitioned by month, so the database's key is not only id."""

    id = models.BigAutoField(primary_key=True)
    incarnation = models.IntegerField(default=1)
    xid = models.BigIntegerField()
    run_id = models.TextField()
    kind = models.TextField()
    epoch = models.BigIntegerField()
    generation = models.IntegerField()
    cursor_before = models.JSONField(null=True)
    cursor_after = models.JSONField(null=True)
    owner_before = models.TextField(null=True)  # noqa: DJ001
    owner_after = models.TextField(null=True)  # noqa: DJ001
    completed_step = models.TextField(null=True)  # noqa: DJ001
    began_step = models.TextField(null=True)  # noqa: DJ001
    attempt = models.IntegerField(null=True)
    lease_event = models.TextField(null=True)  # noqa: DJ001
    lapsed_at = models.DateTimeField(null=True)
    result_hash = models.BinaryField(null=True)
    told = models.TextField(null=True)  # noqa: DJ001
    build = models.TextField(null=True)  # noqa: DJ001
    actor = models.TextField(null=True)  # noqa: DJ001
    reason = models.TextField(null=True)  # noqa: DJ001
    at = models.DateTimeField()

    class Meta:
        db_table = "run_transition"

    def __str__(self) -> str:
        return f"{self.run_id} {self.kind} {self.at:%H:%M:%S}"


class RunItem(models.Model):
    """One finished item of a looping step."""

    id = models.BigAutoField(primary_key=True)
    run_id = models.TextField()
    step = models.TextField()
    item = models.TextField()
    generation = models.IntegerField()
    epoch = models.BigIntegerField()
    attempt = models.IntegerField()
    result = models.JSONField(null=True)
    at = models.DateTimeField()

    class Meta:
        db_table = "run_item"

    def __str__(self) -> str:
        return f"{self.run_id} {self.step} {self.item}"


class RunOutput(models.Model):
    """A result beside the row: too large, displaced, refused, raw, or an error with its traceback."""

    id = models.BigAutoField(primary_key=True)
    run_id = models.TextField()
    step = models.TextField()
    item = models.TextField(null=True)  # noqa: DJ001
    generation = models.IntegerField()
    epoch = models.BigIntegerField()
    attempt = models.IntegerField(null=True)
    kind = models.TextField()
    value = models.JSONField(null=True)
    raw = models.TextField(null=True)  # noqa: DJ001
    at = models.DateTimeField()

    class Meta:
        db_table = "run_output"

    def __str__(self) -> str:
        return f"{self.run_id} {self.step} {self.kind}"


class RunLabel(models.Model):
    """A searchable name of a run, brought by its input or a result."""

    id = models.BigAutoField(primary_key=True)
    run_id = models.TextField()
    name = models.TextField()
    value = models.TextField()
    folded = models.TextField(default="")
    currency = models.TextField(default="")

    class Meta:
        db_table = "run_label"

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"
