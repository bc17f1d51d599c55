"""No tables: the permissions that the pages ask for, which Django keeps beside a model."""

from __future__ import annotations

from django.db import models

from dashboard.roles import NAMES


class Access(models.Model):
    """What a role may do. Each view names one of these; none is implied by another."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions = list(NAMES.items())
