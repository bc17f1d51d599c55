"""Write a note on a run."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST
from runs.queries import run_query

from dashboard.notes import NoteForm, write
from dashboard.roles import WRITE_NOTES
from dashboard.views.access import may
from dashboard.views.payloads import line_of


@require_POST
@may(WRITE_NOTES)
def note(request: HttpRequest) -> HttpResponse:
    """Keeps it and goes back to the run; what cannot be kept is shown again with the reason."""
    line = line_of(request)
    form = NoteForm(line.now, request.POST)
    if not form.is_valid():
        return render(
            request,
            "run/note.html",
            {"line": line, "form": form, "once": request.POST.get("once", "")},
            status=422,
        )
    write(line.run_id, cast(User, request.user), form)
    return redirect(reverse("run") + run_query(line.run_id) + "#notes")
