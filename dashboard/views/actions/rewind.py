"""Send a run back to a step that its log knows; whatever that step and the later ones bought is bought again."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from runs import actions
from runs.actions import Actor, NotDone, Shown
from runs.queries import RunPage, Stage, bought_again, dropped, why_not

from dashboard.roles import REWIND_ORDERS
from dashboard.views.access import may
from dashboard.views.actions.handling import Way, always, handle, page_and_ticket, refused
from dashboard.views.actions.single import asked


@asked
@never_cache
@may(REWIND_ORDERS)
def rewind(request: HttpRequest) -> HttpResponse:
    """First the step is chosen, each with what it would cost; then the form says what will happen."""
    step = (request.POST if request.method == "POST" else request.GET).get("step", "")[:200].replace("\0", "")
    if request.method == "POST":
        return handle(request, REWIND, step)
    page, _ = page_and_ticket(request)
    if step in {stage.step.name for stage in reached(page)}:
        return handle(request, REWIND, step)
    hindrance = why_not("rewind", page.line.row)
    if hindrance:
        return refused(request, page, "rewind", hindrance=hindrance)
    choices = [(stage, bought_again(page, stage.step.name)) for stage in reached(page)]
    return render(request, "actions/choose_step.html", {"page": page, "line": page.line, "choices": choices})


def reached(page: RunPage) -> list[Stage]:
    """The steps that it has come to, the newest first: only there can it be sent back."""
    return [stage for stage in page.stages if stage.state in ("done", "current")][::-1]


def _rewind(request: HttpRequest, page: RunPage, shown: Shown, actor: Actor) -> Any:
    """A step that no page offered would drop results that nobody named."""
    step = request.POST.get("step", "")
    if step not in {each.name for each in page.line.plan.steps}:
        raise BadRequest("No page of ours offers this step.")
    if step not in {stage.step.name for stage in reached(page)}:
        raise NotDone("Not done, nothing was changed. It has not come to that step.", now=None)
    return actions.rewind(shown, actor, step, dropped(page, step))


REWIND = Way("rewind", _rewind, needs_reason=always, needs_name=True, goes_on=True)
