"""Who works, what each build knows, who must stop."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models


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


class RunTally(models.Model):
    """How many runs came to an end, in all (at -infinity) or in a quarter hour of late."""

    pk = models.CompositePrimaryKey("status", "since")
    status = models.TextField()
    since = models.DateTimeField()
    runs = models.BigIntegerField()

    class Meta:
        db_table = "run_tally"

    def __str__(self) -> str:
        return f"{self.runs} {self.status}"
