"""Who may enter a view. Each view says so itself; a test walks the URLs for one that does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from dashboard import preferences

View = Callable[..., HttpResponse]


def may(permission: str) -> Callable[[View], View]:
    """Let in who is signed in and has the permission; show times in the viewer's zone."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return _to_sign_in(request)
            if not request.user.has_perm(permission):
                raise PermissionDenied
            with timezone.override(preferences.zone(request)):
                return view(request, *args, **kwargs)

        guarded.access = permission  # type: ignore[attr-defined]
        return guarded

    return guard


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """A page goes to the sign-in and back; a fragment tells htmx to take the whole page there."""
    if request.headers.get("HX-Request"):
        answer = HttpResponse(status=401)
        answer["HX-Redirect"] = "/sign-in/?" + urlencode({"next": request.headers.get("HX-Current-URL", "/")})
        return answer
    return redirect_to_login(request.get_full_path())
