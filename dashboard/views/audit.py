"""Who did what, when, to which order, and what became of it."""

from __future__ import annotations

from urllib.parse import urlencode

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from runs.acting.words import DEEDS, Outcome
from runs.queries import BookFilter, book, position

from dashboard.roles import SEE_AUDIT
from dashboard.views.access import may


@require_safe
@may(SEE_AUDIT)
def audit(request: HttpRequest) -> HttpResponse:
    """A page of the book. The URL is the filter; nothing here changes while one reads."""
    asked = _asked(request)
    page = book(connection, asked)
    context = {
        "book": page,
        "asked": asked,
        "is_filtered": bool(_query(asked)),
        "deeds": [(name, deed.done) for name, deed in DEEDS.items()],
        "outcomes": list(Outcome),
        "now": position(connection)[1],
        "older_url": _url(asked, page.older) if page.older else "",
        "first_url": _url(asked),
    }
    return render(request, "audit/audit.html", context)


def _asked(request: HttpRequest) -> BookFilter:
    """Words that no filter knows are left out: they come from a URL."""
    text = {
        name: request.GET.get(name, "").replace("\0", "").strip()[:200]
        for name in ("who", "deed", "run", "outcome")
    }
    before = request.GET.get("before", "")
    return BookFilter(
        text["who"],
        text["deed"] if text["deed"] in DEEDS else "",
        text["run"],
        text["outcome"] if text["outcome"] in set(Outcome) else "",
        int(before) if before.isascii() and before.isdigit() and len(before) < 19 else None,
    )


def _url(asked: BookFilter, before: int | None = None) -> str:
    query = _query(asked) | ({"before": str(before)} if before else {})
    return reverse("audit") + ("?" + urlencode(query) if query else "")


def _query(asked: BookFilter) -> dict[str, str]:
    every = {"who": asked.actor, "deed": asked.deed, "run": asked.run, "outcome": asked.outcome}
    return {name: value for name, value in every.items() if value}
