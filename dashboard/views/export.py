"""The list on the screen as a file, all of it."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe
from runs.acting import audit
from runs.queries import Orders, position, search

from dashboard import exporting, preferences
from dashboard.filters.listing import Listing
from dashboard.filters.meaning import Known, understood
from dashboard.following import following
from dashboard.roles import EXPORT_ORDERS
from dashboard.viewers import actor_of, roles_of
from dashboard.views.access import may
from dashboard.views.orders import counted, state_of

FORMS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@require_safe
@may(EXPORT_ORDERS)
def export(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """`form` is csv or json; the rest of the URL is that of the list. Refuses a filter that it does not understand."""
    asked = Listing.parse(request.GET)
    form = request.GET.get("form", "csv")
    roles, zone = roles_of(request.user), preferences.zone(request)
    reads = Orders(connection)
    known = Known.of(reads.plans, roles)
    _, now = position(connection)
    ids = search(connection, asked.q, known.closed) if asked.q else None
    if asked.is_mine and ids is None:
        ids = following(request.user).run_ids
    state = state_of(asked, ids, None if asked.state or asked.filter else counted(reads, now))
    filter = understood(asked.filter, known, state)
    if form not in FORMS or filter.problems:
        raise BadRequest("This list cannot be exported.")
    told = " ".join(
        filter_part
        for filter_part in (asked.q, "mine" if asked.is_mine else state, filter.normal)
        if filter_part
    )
    audit.looked("export", actor_of(request), run_id="", order_ref="", told=f"{form}: {told}"[:500])
    as_of = now.astimezone(zone).isoformat(timespec="milliseconds")
    lines = exporting.pages(filter.wanted, ids, roles)
    about = {"as_of": as_of, "filter": told, "zone": str(zone)}
    body = (
        exporting.as_csv(lines, f"{as_of}, filter {told}, zone {zone}", zone)
        if form == "csv"
        else exporting.as_json(lines, about, zone)
    )
    response = StreamingHttpResponse(body, content_type=FORMS[form])
    response["Content-Disposition"] = f'attachment; filename="orders-{now:%Y%m%dT%H%M%SZ}.{form}"'
    response["Cache-Control"] = "no-store, no-transform"
    response["X-Accel-Buffering"] = "no"
    return response
