"""The Celery application. A message is a hint that a run may be driven; the row in Postgres is the work."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

app = Celery("leaseboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
