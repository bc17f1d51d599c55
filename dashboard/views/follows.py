"""Follow runs, or no longer."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from dashboard.following import MOST, follow, unfollow
from dashboard.roles import SEE_ORDERS
from dashboard.views.access import may


@require_POST
@may(SEE_ORDERS)
def follows(request: HttpRequest) -> HttpResponse:
    """`run_id` names one run; the list's checkboxes name theirs in `run`, each with a bar and the epoch shown.

    Goes back to where it was asked. Asking twice changes nothing.
    """
    picked = [value.rpartition("|")[0] for value in request.POST.getlist("run")]
    run_ids = [run_id for run_id in (*request.POST.getlist("run_id"), *picked) if _could_be(run_id)][:1000]
    if request.POST.get("follow") == "no":
        unfollow(request.user, run_ids)
    elif left_out := follow(request.user, run_ids):
        messages.warning(request, f"{left_out} not followed: you follow {MOST} orders, which is the most.")
    return back(request)


def back(request: HttpRequest) -> HttpResponseRedirect:
    """To the page that `next` names, if it is one of ours; else to the orders."""
    to = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(to, {request.get_host()}, request.is_secure())
    return HttpResponseRedirect(to if is_ours else reverse("orders"))


def _could_be(run_id: str) -> bool:
    return 0 < len(run_id) <= 200 and "\0" not in run_id
