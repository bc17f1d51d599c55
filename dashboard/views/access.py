"""Who may enter a view. Each view says so itself; a test walks the URLs for one that does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from runs.acting import audit

from dashboard import preferences
from dashboard.viewers import actor_of

View = Callable[..., HttpResponseBase]


def may(permission: str) -> Callable[[View], View]:
    """Let in who is signed in and has the permission; show times in the viewer's zone."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _to_sign_in(request)
            if not request.user.has_perm(permission):
                raise denied(request)
            with timezone.override(preferences.zone(request)):
                return view(request, *args, **kwargs)

        guarded.access = permission  # type: ignore[attr-defined]
        return guarded

    return guard


def denied(request: HttpRequest) -> PermissionDenied:
    """The answer 403, written into the audit. It is given before anything is read, so that it is the same for an
    order that exists and one that does not."""
    match = request.resolver_match
    deed = (match.url_name or "" if match else "").replace("-", "_")
    run_id = request.GET.get("run", "") or request.POST.get("run", "")
    told = f"{request.method} {request.path}"
    audit.denied(deed, actor_of(request), run_id=run_id, told=told, again=request.method != "POST")
    return PermissionDenied()


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """A page goes to the sign-in and back; a fragment tells htmx to take the whole page there."""
    if request.headers.get("HX-Request"):
        answer = HttpResponse(status=401)
        answer["HX-Redirect"] = "/sign-in/?" + urlencode({"next": request.headers.get("HX-Current-URL", "/")})
        return answer
    return redirect_to_login(request.get_full_path())
