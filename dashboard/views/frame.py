"""What stands around the pages: the way in from /, preferences, and the error pages."""

from __future__ import annotations

import sys

import psycopg
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from runs.errors import TookTooLong

from dashboard import preferences
from dashboard.roles import SEE_ORDERS
from dashboard.views.access import may


@may(SEE_ORDERS)
def home(request: HttpRequest) -> HttpResponse:
    return redirect("orders")


@require_POST
@may(SEE_ORDERS)
def keep_preferences(request: HttpRequest) -> HttpResponse:
    """Sets two cookies in the browser that asks, and goes back to where it stood."""
    back = request.POST.get("next", "/")
    safe = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    response = HttpResponseRedirect(back if safe else "/")
    preferences.keep(request, response)
    return response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "404.html", status=404)


def broken(request: HttpRequest) -> HttpResponse:
    """Asks nothing of the database: it may be the reason for this page, and then the page says so."""
    if isinstance(sys.exc_info()[1], DatabaseError | psycopg.Error | TookTooLong):
        return render(request, "503.html", {"is_broken": True}, status=503)
    return render(request, "500.html", {"is_broken": True}, status=500)
