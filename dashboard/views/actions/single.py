"""Hold, lift, nudge, flag, retry, mark seen, cancel, take over: each a view of its own."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from runs import actions
from runs.actions import Actor, Shown
from runs.queries import RunPage

from dashboard.roles import ACT_ON_ORDERS, CANCEL_ORDERS, TAKE_OVER_HELD
from dashboard.views.access import denied, may
from dashboard.views.actions.handling import Way, always, handle, page_and_ticket

asked = require_http_methods(["GET", "HEAD", "POST"])


def _plain(verb: Any) -> Any:
    """A verb that needs nothing but the run as it was shown."""
    return lambda request, page, shown, actor: verb(shown, actor)


HOLD = Way("hold", _plain(actions.hold))
LIFT = Way("lift", _plain(actions.lift), goes_on=True)
NUDGE = Way("nudge", _plain(actions.nudge), asks_reason=False, goes_on=True)
FLAG = Way("flag", _plain(actions.flag), needs_reason=always)
RETRY_FAILED = Way("retry_failed", _plain(actions.retry_failed), goes_on=True)
MARK_SEEN = Way("mark_seen", _plain(actions.mark_seen))
CANCEL = Way("cancel", _plain(actions.cancel), needs_reason=always, needs_name=True)


@asked
@never_cache
@may(ACT_ON_ORDERS)
def hold(request: HttpRequest) -> HttpResponse:
    """Before the next step; at once where nobody moves it."""
    return handle(request, HOLD)


@asked
@never_cache
@may(ACT_ON_ORDERS)
def lift(request: HttpRequest) -> HttpResponse:
    """Withdraw a hold, in force or only asked for."""
    return handle(request, LIFT)


@asked
@never_cache
@may(ACT_ON_ORDERS)
def nudge(request: HttpRequest) -> HttpResponse:
    """Make it due now."""
    return handle(request, NUDGE)


@asked
@never_cache
@may(ACT_ON_ORDERS)
def flag(request: HttpRequest) -> HttpResponse:
    """Open a case on the step where it stands."""
    return handle(request, FLAG)


@asked
@never_cache
@may(ACT_ON_ORDERS)
def retry_failed(request: HttpRequest) -> HttpResponse:
    """Another round of attempts at the step where it gave up."""
    return handle(request, RETRY_FAILED)


@asked
@never_cache
@may(ACT_ON_ORDERS)
def mark_seen(request: HttpRequest) -> HttpResponse:
    """Take a failure off the list of what needs attention."""
    return handle(request, MARK_SEEN)


@asked
@never_cache
@may(CANCEL_ORDERS)
def cancel(request: HttpRequest) -> HttpResponse:
    """End it: at the next boundary, or at once where nobody moves it."""
    return handle(request, CANCEL)


@asked
@never_cache
@may(ACT_ON_ORDERS)
def take_over(request: HttpRequest) -> HttpResponse:
    """From a lapsed lease an ordinary thing; from a good one only with a permission of its own, and a reason."""
    if request.method != "POST" and page_and_ticket(request)[0].line.lease == "good":
        _demand_held(request)
    return handle(request, TAKE_OVER)


def _take_over(request: HttpRequest, page: RunPage, shown: Shown, actor: Actor) -> Any:
    """Only the red face says that the lease is good; from the other, one renewed meanwhile is left alone."""
    knows = request.POST.get("face") == "good"
    if knows:
        _demand_held(request)
    return actions.take_over(shown, actor, even_held=knows)


def _demand_held(request: HttpRequest) -> None:
    if not request.user.has_perm(TAKE_OVER_HELD):
        raise denied(request)


TAKE_OVER = Way(
    "take_over", _take_over, needs_reason=lambda page: bool(page.line.lease == "good"), goes_on=True
)
