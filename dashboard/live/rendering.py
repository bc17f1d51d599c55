"""Fragments for viewers: each rendered once for a time zone and a set of roles, however many look at it."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable
from zoneinfo import ZoneInfo

from django.template.loader import render_to_string
from django.utils import timezone
from runs.queries import Line, Orders, Position, RunPage, Runs, dom_key, holds, to_the_buyer, told

from dashboard import notes
from dashboard.live.hub import Viewer
from dashboard.offers import offers
from dashboard.views.summary import day_began, summary

NEWS_CAP = 500
# Fragment, zone and roles -> its text, for the time of one tick.
Rendered = dict[tuple[str, str, frozenset[str]], str]


def rows(viewers: list[Viewer], lines: dict[str, Line], candidates: set[str], position: Position) -> None:
    """Send each list the rows on its screen that changed, and how many it does not show yet."""
    rendered: Rendered = {}
    for viewer in viewers:
        fragments = {}
        for run_id in viewer.shown & lines.keys():
            line = lines[run_id]
            if viewer.prints.get(run_id) == line.print:
                continue
            viewer.prints[run_id] = line.print
            key = (run_id, viewer.zone, viewer.roles)
            if key not in rendered:
                context: dict[str, object] = {"line": line.seen_by(viewer.roles), "oob": True}
                rendered[key] = _in_zone(viewer.zone, "orders/_row.html", context)
            fragments[f"row-{line.key}"] = rendered[key]
        if viewer.watch.counts_news:
            fragments |= _news(viewer, [lines[i] for i in candidates & lines.keys()])
        if fragments:
            viewer.put(fragments, position)


def _news(viewer: Viewer, candidates: Iterable[Line]) -> dict[str, str]:
    """New rows are told, never pushed in: the list must not move under the pointer."""
    before = len(viewer.news)
    for line in candidates:
        if line.run_id in viewer.shown:
            continue
        if holds(viewer.watch.state, line.facts) and viewer.watch.is_news(line):
            viewer.news.add(line.run_id)
        else:
            viewer.news.discard(line.run_id)
    if len(viewer.news) == before:
        return {}
    context = {
        "news": min(len(viewer.news), NEWS_CAP),
        "oob": True,
        "first_url": f"?state={viewer.watch.state}",
    }
    return {"news": render_to_string("orders/_news.html", context)}


def summaries(viewers: list[Viewer], reads: Orders, position: Position) -> None:
    """Counters and title. The day of "today" is cut in each viewer's zone."""
    by_zone: dict[str, list[Viewer]] = defaultdict(list)
    for viewer in viewers:
        by_zone[viewer.zone].append(viewer)
    for zone, group in by_zone.items():
        with timezone.override(ZoneInfo(zone)):
            counts = reads.counts(day_began(timezone.now()))
            for state, title in {(v.watch.state, v.watch.title) for v in group}:
                context = {"summary": summary(counts, "" if title else state, title), "oob": True}
                html = render_to_string("orders/_summary.html", context)
                same = [v for v in group if (v.watch.state, v.watch.title) == (state, title)]
                _once(same, "summary", html, position)


def banner(viewers: list[Viewer], stops: list[str], position: Position) -> None:
    """What stops work for everybody."""
    _once(viewers, "stops", render_to_string("frame/_stops.html", {"stops": stops, "oob": True}), position)


def _once(viewers: Iterable[Viewer], fragment: str, html: str, position: Position) -> None:
    for viewer in viewers:
        if viewer.prints.get(fragment) != html:
            viewer.prints[fragment] = html
            viewer.put({fragment: html}, position)


def pages(
    viewers: list[Viewer], reads: Runs, lines: dict[str, Line], position: Position, out_of_turn: set[str]
) -> None:
    """Send each run page what changed on it. One look at all runs has told which are worth reading whole."""
    for viewer in viewers:
        if viewer.watch.run_ids[0] in out_of_turn and not viewer.is_new:
            viewer.prints.pop(viewer.watch.run_ids[0], None)
    _notes(viewers, lines, position)
    by_run: dict[str, list[Viewer]] = defaultdict(list)
    for viewer in viewers:
        run_id = viewer.watch.run_ids[0]
        if run_id not in lines or _differs(viewer, lines[run_id]):
            by_run[run_id].append(viewer)
    for run_id, group in by_run.items():
        page = reads.page(run_id)
        rendered: Rendered = {}
        for viewer in group:
            if page is None:
                viewer.end()
            else:
                _page(viewer, page, position, rendered)


def _notes(viewers: list[Viewer], lines: dict[str, Line], position: Position) -> None:
    """Notes are in no log: one query tells of all runs on anybody's screen which have newer ones."""
    newest = notes.newest({viewer.watch.run_ids[0] for viewer in viewers})
    for viewer in viewers:
        run_id = viewer.watch.run_ids[0]
        name, stands = notes.name_of(run_id), notes.print_of(newest.get(run_id))
        if run_id in lines and viewer.prints.setdefault(name, stands) != stands:
            viewer.prints[name] = stands
            context = {"line": lines[run_id], "oob": True, **notes_context(run_id)}
            viewer.put({"notes": _in_zone(viewer.zone, "run/_written.html", context)}, position)


def _differs(viewer: Viewer, line: Line) -> bool:
    """Is there anything to send? A page that has just come is taken to show the lease as it stands."""
    lease = viewer.prints.setdefault("lease", str(line.lease_expires_at))
    return (
        line.is_finished
        or viewer.prints.get(line.run_id) != line.print
        or lease != str(line.lease_expires_at)
    )


def _page(viewer: Viewer, page: RunPage, position: Position, rendered: Rendered) -> None:
    """All parts where something happened; only those that tell of the lease where it was renewed."""
    line, part = page.line, ""
    if viewer.prints.get(line.run_id) != line.print:
        part = "run/_changes.html"
    elif viewer.prints.get("lease") != str(line.lease_expires_at):
        part = "run/_renewed.html"
    viewer.prints |= {line.run_id: line.print, "lease": str(line.lease_expires_at)}
    if part:
        key = (part, viewer.zone, viewer.roles)
        if key not in rendered:
            rendered[key] = _in_zone(
                viewer.zone, part, run_context(page.seen_by(viewer.roles)) | {"oob": True}
            )
        viewer.put({part: rendered[key]}, position)
    if part == "run/_changes.html":
        _buttons(viewer, line, position, rendered)
    if line.is_finished:
        viewer.end()


def _buttons(viewer: Viewer, line: Line, position: Position, rendered: Rendered) -> None:
    """They differ by what a role may do, so once for each set of rights; no name and no token is in them."""
    key = ("run/_actions.html", "", viewer.roles | viewer.rights)
    if key not in rendered:
        found = offers(line, viewer.roles, viewer.rights)
        rendered[key] = render_to_string("run/_actions.html", {"offers": found, "oob": True})
    viewer.put({"actions": rendered[key]}, position)


def run_context(page: RunPage) -> dict[str, object]:
    """What the templates of a run's page ask for."""
    return {
        "page": page,
        "line": page.line,
        "told": told(page),
        "to_the_buyer": to_the_buyer(page),
        "log": page.log,
    }


def notes_context(run_id: str) -> dict[str, object]:
    """The notes of a run, and under which name and print a page tells that it shows them."""
    found = notes.notes_of(run_id)
    return {
        "notes": found[: notes.SHOWN],
        "older_notes": len(found) > notes.SHOWN,
        "notes_key": dom_key(notes.name_of(run_id)),
        "notes_print": notes.print_of(found[0].id if found else None),
        "once": uuid.uuid4(),
    }


def _in_zone(zone: str, template: str, context: dict[str, object]) -> str:
    with timezone.override(ZoneInfo(zone)):
        return render_to_string(template, context)
