"""Open one hidden field: with a permission, for a reason, written into the audit by the transaction that reads it."""

from __future__ import annotations

import json

from django.db import connection, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from runs.acting import audit
from runs.queries import Line, Payloads, Ref, redacted

from dashboard.roles import REVEAL_PAYLOADS
from dashboard.viewers import actor_of
from dashboard.views.access import may
from dashboard.views.payloads import line_of, ref_of

REASON_MAX, PATH_MAX, NAMES_MAX = 300, 500, 32


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@may(REVEAL_PAYLOADS)
def reveal(request: HttpRequest) -> HttpResponse:
    """First asks for the reason; then shows the field once, in this answer and nowhere else."""
    line, ref = line_of(request), ref_of(request)
    path = _path(request, ref)
    context = {"line": line, "ref": ref, "at": json.dumps(path), "named": _named(path)}
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:REASON_MAX]
    if request.method != "POST" or not reason:
        return render(request, "payload/reveal.html", context | {"is_sent": request.method == "POST"})
    value = _opened(request, line, ref, path, reason)
    return render(request, "payload/revealed.html", context | {"value": value, "reason": reason})


def _opened(request: HttpRequest, line: Line, ref: Ref, path: tuple[str, ...], reason: str) -> str:
    with transaction.atomic():
        audit.looked(
            "reveal",
            actor_of(request, reason),
            run_id=line.run_id,
            order_ref=line.order_ref,
            told=_named(path),
        )
        value = Payloads(connection).field(line, ref, path)
        if value is None:
            raise Http404
        return value


def _path(request: HttpRequest, ref: Ref) -> tuple[str, ...]:
    """The field's path, as a page of ours links to it. Raises Http404 for anything else."""
    try:
        path = json.loads(request.GET.get("at") or request.POST.get("at", ""))
    except (ValueError, RecursionError):
        raise Http404 from None
    if not isinstance(path, list) or not all(isinstance(name, str) and "\0" not in name for name in path):
        raise Http404
    if tuple(path[:1]) != ref.root or len(path) > NAMES_MAX or sum(map(len, path)) > PATH_MAX:
        raise Http404
    return tuple(path)


def _named(path: tuple[str, ...]) -> str:
    """The field in words. Its names are part of the payload too."""
    return " / ".join(redacted(name) for name in path)
