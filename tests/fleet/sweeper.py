"""Beat and watch worker in one, at a test's pace: the real sweep every second, and what each one did as a line."""

from __future__ import annotations

import json
import time
from dataclasses import asdict

import django

django.setup()

from dashboard import celery_app  # noqa: E402 - the application must be the current one before a task is sent
from runs.sweep import sweep  # noqa: E402
from runs.tasks import dispatch  # noqa: E402

EVERY_SECONDS = 1.0


def once() -> dict[str, object]:
    """Whatever fails is told and tried again, as beat would."""
    try:
        return asdict(sweep(dispatch))
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    celery_app.set_current()
    while True:
        began = time.monotonic()
        print(json.dumps({"at": time.time(), **once()}), flush=True)
        time.sleep(max(0.0, began + EVERY_SECONDS - time.monotonic()))


if __name__ == "__main__":
    main()
