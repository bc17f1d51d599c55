"""The way of every single action: show the form, compare what it brings back, act, and say what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from runs.acting.ticket import Ticket, ticket
from runs.acting.words import DEEDS
from runs.actions import Actor, Busy, NotDone, Shown
from runs.queries import RunPage, Runs, preview, run_query, since, why_not
from runs.tasks import dispatch

from dashboard.viewers import actor_of, roles_of
from dashboard.views.actions.typed import names, reason_of

QUEUE_DOWN = "Saved. The queue is down, so no worker was told: the next sweep after it is back starts it."


def always(page: RunPage) -> bool:
    return True


def never(page: RunPage) -> bool:
    return False


@dataclass(frozen=True)
class Way:
    """How one verb is asked for. `goes_on`: a worker may take the run right after, so it is offered at once."""

    deed: str
    act: Callable[[HttpRequest, RunPage, Shown, Actor], Any]
    needs_reason: Callable[[RunPage], bool] = never
    asks_reason: bool = True
    needs_name: bool = False
    goes_on: bool = False


def handle(request: HttpRequest, way: Way, step: str = "") -> HttpResponse:
    """The form, or what it did. `step` is the one that a rewind goes back to."""
    if request.method == "POST":
        return _take(request, way, step)
    page, shown = page_and_ticket(request)
    hindrance = why_not(way.deed, page.line.row)
    if hindrance:
        return refused(request, page, way.deed, hindrance=hindrance)
    return form(request, way, page, shown, step)


def page_and_ticket(request: HttpRequest) -> tuple[RunPage, Ticket]:
    """The ticket is read first: what moves in between is refused when the form comes back. Raises Http404."""
    run_id = request.GET.get("run", "").replace("\0", "")
    shown = ticket(run_id)
    if shown is None:
        raise Http404
    return page_of(request, run_id), shown


def page_of(request: HttpRequest, run_id: str) -> RunPage:
    page = Runs(connection).page(run_id)
    if page is None:
        raise Http404
    return page.seen_by(roles_of(request.user))


def ticket_of(request: HttpRequest) -> Ticket:
    """What the form brings back. Raises BadRequest for one that no page of ours made."""
    brought = Ticket.parse(request.POST.dict())
    if brought is None:
        raise BadRequest("No page of ours has such a form.")
    return brought


def form(
    request: HttpRequest,
    way: Way,
    page: RunPage,
    shown: Ticket,
    step: str = "",
    problems: dict[str, str] | None = None,
) -> HttpResponse:
    context = {
        "page": page,
        "line": page.line,
        "deed": DEEDS[way.deed],
        "url": reverse(way.deed.replace("_", "-")),
        "ticket": shown,
        "preview": preview(way.deed, page, step),
        "step": step,
        "good": page.line.lease == "good",
        "asks_reason": way.asks_reason,
        "needs_reason": way.needs_reason(page),
        "needs_name": way.needs_name,
        "problems": problems or {},
        "typed": request.POST,
    }
    return render(request, "actions/form.html", context, status=422 if problems else 200)


def _take(request: HttpRequest, way: Way, step: str) -> HttpResponse:
    brought = ticket_of(request)
    page = page_of(request, brought.run_id)
    reason = reason_of(request.POST.get("reason", ""))
    problems = _problems(request, way, page, reason)
    if problems:
        return form(request, way, page, brought, step, problems)
    return act(
        request,
        way.deed,
        brought,
        way.goes_on,
        lambda: way.act(request, page, brought.shown(), actor_of(request, reason)),
    )


def act(
    request: HttpRequest, deed: str, brought: Ticket, goes_on: bool, verb: Callable[[], Any]
) -> HttpResponse:
    """Do it, offer the run to the workers, and go back to its page; or say what stood in the way."""
    try:
        verb()
    except NotDone as answer:
        page = page_of(request, brought.run_id)
        return refused(request, page, deed, brought, str(answer) if isinstance(answer, Busy) else "")
    if goes_on and not dispatch(brought.run_id):
        messages.warning(request, QUEUE_DOWN)
    # 303, so that going back or reloading asks for a page again and never sends the form twice.
    return HttpResponseRedirect(reverse("run") + run_query(brought.run_id), status=303)


def refused(
    request: HttpRequest, page: RunPage, deed: str, brought: Ticket | None = None, hindrance: str = ""
) -> HttpResponse:
    """409: nothing was changed, who was quicker, and what stands now."""
    context = {
        "page": page,
        "line": page.line,
        "deed": DEEDS[deed],
        "since": since(page, brought) if brought else None,
        "hindrance": hindrance,
        "again": ""
        if why_not(deed, page.line.row)
        else reverse(deed.replace("_", "-")) + run_query(page.line.run_id),
    }
    return render(request, "actions/refused.html", context, status=409)


def _problems(request: HttpRequest, way: Way, page: RunPage, reason: str) -> dict[str, str]:
    problems = {}
    if way.needs_reason(page) and not reason:
        problems["reason"] = "Say why: the log keeps it, and whoever looks next needs it."
    if way.needs_name and not names(request.POST.get("last", ""), page.line.order):
        problems["last"] = f"These are not the last six characters of {page.line.order}."
    return problems
