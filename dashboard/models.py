"""What the dashboard itself keeps: the permissions its pages ask for, what people follow, the views they saved, their notes."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from runs.queries import redacted

from dashboard.roles import NAMES


class Access(models.Model):
    """What a role may do. Each view names one of these; none is implied by another."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions = list(NAMES.items())


class Follow(models.Model):
    """A person follows a run, and may have set a time to look at it again."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="follows")
    # No foreign key: the record belongs to the workers, and a deleted run must not fail for its followers.
    run_id = models.TextField()
    follow_up_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["user", "run_id"], name="dashboard_follow_once")]

    def __str__(self) -> str:
        return f"{self.user} follows {self.run_id}"


class Note(models.Model):
    """What a person wrote down about a run. Never changed; a trigger refuses it."""

    run_id = models.TextField()
    author = models.TextField()
    text = models.TextField()
    follow_up_at = models.DateTimeField(null=True, blank=True)
    # The database's clock, as for everything else on the page.
    at = models.DateTimeField(db_default=Now())
    # Comes with the form: a second click, or a page sent again, is the same note.
    once = models.UUIDField(default=uuid.uuid4, unique=True)

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["run_id", "id"], name="dashboard_note_run")]

    def __str__(self) -> str:
        return f"{self.author} on {self.run_id}"

    @property
    def shown(self) -> str:
        """The text as pages show it: a card number that somebody read out on the phone may stand in it."""
        return redacted(self.text)


class SavedView(models.Model):
    """A filter of the list under a name. With a role it is that role's too; else its owner's alone."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    role = models.TextField(blank=True, default="")
    name = models.CharField(max_length=80)
    query = models.TextField()

    class Meta:
        default_permissions = ()
        ordering = ["name", "id"]
        indexes = [models.Index(fields=["role"], name="dashboard_view_role")]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="dashboard_view_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def role_field(self) -> str:
        """The id of its field on the page of views."""
        return f"role-{self.pk}"
