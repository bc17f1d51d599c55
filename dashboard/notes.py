"""Notes that people write on a run, each with a time to look again if its author wishes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from dashboard.models import Follow, Note

SHOWN, LONGEST = 50, 2000


class NoteForm(forms.Form):
    """`now` is the database's time: a time to look again lies ahead of it. Times are read in the viewer's zone."""

    text = forms.CharField(max_length=LONGEST, error_messages={"required": "Write something first."})
    follow_up_at = forms.DateTimeField(
        required=False,
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        error_messages={"invalid": "A time to look again needs a day and a time."},
    )
    once = forms.UUIDField()

    def __init__(self, now: datetime, *args: Any) -> None:
        super().__init__(*args)
        self._now = now

    def clean_follow_up_at(self) -> datetime | None:
        moment: datetime | None = self.cleaned_data["follow_up_at"]
        if moment is not None and moment <= self._now:
            raise forms.ValidationError("The time to look again has passed already.")
        return moment


def write(run_id: str, author: User, form: NoteForm) -> None:
    """Keep the note of a form that is valid, once; its time to look again goes to the author's own list."""
    told = form.cleaned_data
    with transaction.atomic():
        _, is_new = Note.objects.get_or_create(
            once=told["once"],
            defaults={
                "run_id": run_id,
                "author": author.get_username(),
                "text": told["text"].strip(),
                "follow_up_at": told["follow_up_at"],
            },
        )
        if is_new and told["follow_up_at"]:
            Follow.objects.update_or_create(
                user=author, run_id=run_id, defaults={"follow_up_at": told["follow_up_at"]}
            )


def notes_of(run_id: str) -> list[Note]:
    """The newest, newest first; one more than SHOWN where there are older ones."""
    return list(Note.objects.filter(run_id=run_id).order_by("-id")[: SHOWN + 1])


def newest(run_ids: Iterable[str]) -> dict[str, int]:
    """The id of the newest note of each run that has any: one query, whatever their number."""
    found = Note.objects.filter(run_id__in=list(run_ids)).values("run_id").annotate(newest=Max("id"))
    return {row["run_id"]: row["newest"] for row in found}


def print_of(newest_id: int | None) -> str:
    """What a page says of the notes that it shows, in eight characters, as it does of its run."""
    return f"{newest_id or 0:08x}"[-8:]


def name_of(run_id: str) -> str:
    """Under which a page's prints know the notes of a run: beside the run itself."""
    return f"notes\n{run_id}"
