"""The tables of the record as Django sees them. Their DDL lives in runs/sql/schema; pages read, engines write SQL."""

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


class RunWorker(models.Model):
    """One worker process, from its boot to its end."""

    owner = models.TextField(primary_key=True)
    name = models.TextField()
    build = models.TextField()
    host = models.TextField(default="")
    pod = models.TextField(default="")
    node = models.TextField(default="")
    pid = models.IntegerField(default=0)
    threads = models.IntegerField(default=0)
    heartbeat_seconds = models.FloatField()
    ttl_seconds = models.FloatField()
    grace_seconds = models.FloatField()
    booted_at = models.DateTimeField()
    last_beat_at = models.DateTimeField()
    beats = ArrayField(models.FloatField(), default=list)
    pause_seconds = models.FloatField(default=0)
    offset_seconds = models.FloatField(default=0)
    inside = models.JSONField(default=list)
    last_claim_at = models.DateTimeField(null=True)
    sigterm_at = models.DateTimeField(null=True)
    acknowledged_at = models.DateTimeField(null=True)
    stopped_at = models.DateTimeField(null=True)
    gone_at = models.DateTimeField(null=True)
    gone_by = models.TextField(null=True)  # noqa: DJ001

    class Meta:
        db_table = "run_worker"

    def __str__(self) -> str:
        return self.owner


class RunCatalogue(models.Model):
    """What a build knows of a workflow, as its workers published it."""

    id = models.BigAutoField(primary_key=True)
    workflow = models.TextField()
    build = models.TextField()
    body = models.JSONField()
    published_at = models.DateTimeField()

    class Meta:
        db_table = "run_catalogue"

    def __str__(self) -> str:
        return f"{self.workflow} in {self.build}"


class RunDrain(models.Model):
    """An order to a set of processes to stop claiming."""

    id = models.BigAutoField(primary_key=True)
    build = models.TextField(default="")
    node = models.TextField(default="")
    actor = models.TextField()
    reason = models.TextField(default="")
    marked_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ended_by = models.TextField(null=True)  # noqa: DJ001
    marked_xid = models.BigIntegerField(default=0)
    ended_xid = models.BigIntegerField(null=True)

    class Meta:
        db_table = "run_drain"

    def __str__(self) -> str:
        return f"drain {self.id}"


class RunDrainBound(models.Model):
    """A process that a drain binds, and when it acknowledged."""

    id = models.BigAutoField(primary_key=True)
    drain = models.ForeignKey(RunDrain, models.DO_NOTHING)
    owner = models.TextField()
    acknowledged_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "run_drain_bound"

    def __str__(self) -> str:
        return f"{self.owner} in drain {self.drain_id}"


class RunEmergencyHold(models.Model):
    """A step, vendor or workflow that nobody may begin."""

    id = models.BigAutoField(primary_key=True)
    workflow = models.TextField(default="")
    step = models.TextField(default="")
    vendor = models.TextField(default="")
    actor = models.TextField()
    reason = models.TextField()
    placed_at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.TextField(null=True)  # noqa: DJ001

    class Meta:
        db_table = "run_emergency_hold"

    def __str__(self) -> str:
        return " ".join(filter(None, (self.workflow, self.step, self.vendor)))


class RunPulse(models.Model):
    """When a recurring duty last ran."""

    name = models.TextField(primary_key=True)
    at = models.DateTimeField()
    detail = models.JSONField(default=dict)

    class Meta:
        db_table = "run_pulse"

    def __str__(self) -> str:
        return self.name
