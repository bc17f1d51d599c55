"""One run: what it is doing, who holds it, what has happened."""

from __future__ import annotations

from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from runs.queries import RunPage, Runs, position, stops

from dashboard.live import rendering, watch
from dashboard.offers import acting_rights, offers
from dashboard.roles import SEE_ORDERS
from dashboard.viewers import roles_of
from dashboard.views import payloads
from dashboard.views.access import may


@require_safe
@may(SEE_ORDERS)
def run(request: HttpRequest) -> HttpResponse:
    """The page. With ?entry= its log begins at that row, which is what a permalink names."""
    after, now = position(connection)
    entry = _entry(request)
    page = _page(request, entry)
    stream = watch.run_stream(page, after, now, stops(connection))
    context = {"stream": stream, "entry": entry, **rendering.run_context(page), **payloads.listed(page)}
    context |= rendering.notes_context(page.line.run_id) | _offers(request, page)
    return render(request, "run/run.html", context)


@require_safe
@may(SEE_ORDERS)
def log(request: HttpRequest) -> HttpResponse:
    """Older rows of the log, to stand under those already shown."""
    line = payloads.line_of(request)
    older = Runs(connection).log(line, _entry(request))
    return render(request, "run/_entries.html", {"line": line, "log": older})


@require_safe
@may(SEE_ORDERS)
def now(request: HttpRequest) -> HttpResponse:
    """The page's parts as they are now, for where no stream gets through."""
    page = _page(request, None)
    line = page.line
    asked = watch.parsed_run(request.GET, line.run_id)
    is_same = asked.prints.get(line.run_id) == line.print
    template = "run/_renewed.html" if is_same else "run/_changes.html"
    answer = render(request, template, rendering.run_context(page) | _offers(request, page) | {"oob": True})
    return watch.polled(answer, line.now)


def _offers(request: HttpRequest, page: RunPage) -> dict[str, object]:
    line = page.line
    return {"offers": offers(line, line.roles, acting_rights(request.user))}


def _page(request: HttpRequest, entry: int | None) -> RunPage:
    page = Runs(connection).page(request.GET.get("run", "").replace("\0", ""), entry)
    if page is None:
        raise Http404
    return page.seen_by(roles_of(request.user))


def _entry(request: HttpRequest) -> int | None:
    text = request.GET.get("entry", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
