"""What a run was given and what it gave: one payload, its download, the items of a loop. All of it redacted."""

from __future__ import annotations

from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers
from runs.queries import Line, Named, Part, Payloads, Ref, RunPage, Runs, TooLarge, dom_key

from dashboard.roles import SEE_ORDERS
from dashboard.viewers import roles_of
from dashboard.views.access import may

# An input up to this size stands open on the run's page; a larger one is read when somebody opens it.
SMALL_BYTES = 1500
STEP_NAME_MAX = 200


@require_safe
@never_cache
@vary_on_headers("HX-Request")
@may(SEE_ORDERS)
def payload(request: HttpRequest) -> HttpResponse:
    """A page of its own without scripts; the same fields inside the run's page with them."""
    line, ref = line_of(request), ref_of(request)
    shown = Payloads(connection).shown(line, ref)
    if shown is None:
        raise Http404
    name = "payload/_payload.html" if request.htmx else "payload/payload.html"  # type: ignore[attr-defined]
    return render(request, name, {"line": line, "shown": shown})


@require_safe
@never_cache
@may(SEE_ORDERS)
def download(request: HttpRequest) -> HttpResponse:
    """The whole payload as a file, what is hidden on the page hidden in it too."""
    line, ref = line_of(request), ref_of(request)
    try:
        text = Payloads(connection).whole(line, ref)
    except TooLarge as error:
        return render(request, "payload/too_large.html", {"line": line, "size": error.size}, status=413)
    if text is None:
        raise Http404
    answer = HttpResponse(text, content_type="application/json; charset=utf-8")
    name = f"run-{dom_key(line.run_id)}-{ref.step or ref.part}.json"
    answer["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return answer


@require_safe
@never_cache
@may(SEE_ORDERS)
def items(request: HttpRequest) -> HttpResponse:
    """The finished items of a looping step, a page at a time."""
    line, step = line_of(request), request.GET.get("step", "")
    rows, has_more = Payloads(connection).items(line, step, number(request.GET.get("after", "")))
    context = {
        "line": line,
        "step": line.plan.step(step),
        "rows": rows,
        "last": rows[-1].id if has_more else None,
    }
    return render(request, "payload/items.html", context)


@require_safe
@never_cache
@may(SEE_ORDERS)
def card(request: HttpRequest) -> HttpResponse:
    """The list of payloads as it is now. The stream brings no payload, so this is asked for by hand."""
    page = Runs(connection).page(line_of(request).run_id)
    if page is None:
        raise Http404
    return render(
        request, "payload/_card.html", {"line": page.line, **listed(page.seen_by(roles_of(request.user)))}
    )


def listed(page: RunPage) -> dict[str, object]:
    """What the list of payloads asks for: the names and sizes, and the input where it is small."""
    reads, line = Payloads(connection), page.line
    index = reads.index(line)
    is_small = index is not None and index.input.size is not None and index.input.size <= SMALL_BYTES
    return {
        "index": index,
        "input": reads.shown(line, Ref(Part.INPUT)) if is_small else None,
        "looped": [stage for stage in page.stages if stage.items_done],
        "signals": Named(Ref(Part.SIGNALS), "", None) if index and index.signals else None,
    }


def line_of(request: HttpRequest) -> Line:
    """The run that the request names, as this viewer may see it. Raises Http404."""
    named = request.GET.get("run") or request.POST.get("run", "")
    line = Runs(connection).line(named.replace("\0", ""))
    if line is None:
        raise Http404
    return line.seen_by(roles_of(request.user))


def ref_of(request: HttpRequest) -> Ref:
    """The payload that the request names. Raises Http404 for what no page links to."""
    asked = request.GET if "part" in request.GET else request.POST
    try:
        part = Part(asked.get("part", ""))
    except ValueError:
        raise Http404 from None
    step = asked.get("step", "").replace("\0", "")
    if len(step) > STEP_NAME_MAX:
        raise Http404
    return Ref(part, step, number(asked.get("id", "")) or 0)


def number(text: str) -> int | None:
    """None for anything that is not the number of a row: it comes from a URL."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
