"""Answer what a run waits for. The step that waits names the role which may; managers answer here as well."""

from __future__ import annotations

import hashlib

from django.core.exceptions import BadRequest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from runs import actions
from runs.acting.ticket import Ticket
from runs.actions import NotDone
from runs.queries import Ask, ask_of, was_asked

from dashboard.roles import ACT_ON_ORDERS, SEE_ORDERS
from dashboard.viewers import actor_of, roles_of
from dashboard.views.access import denied, may
from dashboard.views.actions.handling import act, page_and_ticket, page_of, refused, ticket_of
from dashboard.views.actions.single import asked
from dashboard.views.actions.typed import reason_of


@asked
@never_cache
@may(SEE_ORDERS)
def signal(request: HttpRequest) -> HttpResponse:
    """The question with its answers, or the answer that the form brings."""
    if request.method == "POST":
        return _take(request)
    page, shown = page_and_ticket(request)
    ask = ask_of(page.line)
    if ask is None:
        return refused(request, page, "signal", hindrance="It waits for nobody’s answer now.")
    if not answers(request, ask):
        raise denied(request)
    context = {
        "page": page,
        "line": page.line,
        "ask": ask,
        "ticket": shown,
        "url": reverse("signal"),
        "good": False,
    }
    return render(request, "actions/signal.html", context)


def answers(request: HttpRequest, ask: Ask) -> bool:
    """Is it this viewer whom the run waits for? An ask without a role is anybody's who may act on orders."""
    return ask.may in roles_of(request.user) if ask.may else request.user.has_perm(ACT_ON_ORDERS)


def _take(request: HttpRequest) -> HttpResponse:
    brought, named = ticket_of(request), _named(request)
    ask = was_asked(connection, brought.run_id, named)
    # The same answer for a run that is not there and one that asked somebody else.
    if ask is None or not answers(request, ask):
        raise denied(request)
    page_of(request, brought.run_id)
    return act(request, "signal", brought, True, lambda: _send(request, brought, ask))


def _named(request: HttpRequest) -> Ask:
    generation = request.POST.get("generation", "")
    if not (generation.isascii() and generation.isdigit() and len(generation) < 10):
        raise BadRequest("No page of ours has such a form.")
    return Ask(
        request.POST.get("name", "").replace("\0", ""),
        "",
        request.POST.get("step", "").replace("\0", ""),
        int(generation),
    )


def _send(request: HttpRequest, brought: Ticket, ask: Ask) -> None:
    """One question has one answer, so its id is made of the question: a second push, or a second person, is told."""
    note = reason_of(request.POST.get("reason", ""))
    payload: dict[str, object] = {"note": note}
    if ask.has_no:
        payload["approved"] = request.POST.get("answer") != "no"
    question = "\x1f".join((brought.run_id, ask.step, str(ask.generation), ask.name))
    signal_id = hashlib.sha256(question.encode()).hexdigest()[:32]
    actor = actor_of(request, note)
    if not actions.signal(
        brought.run_id, ask.step, ask.generation, ask.name, payload, actor, signal_id=signal_id
    ):
        raise NotDone("Not done, nothing was changed. It was answered before.", now=None)
