"""Fragments for viewers: each rendered once for a time zone and a set of roles, however many look at it."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable
from zoneinfo import ZoneInfo

from django.template.loader import render_to_string
from django.utils import timezone
from runs.queries import Line, Position, RunPage, Runs, dom_key, to_the_buyer, told

from dashboard import notes
from dashboard.live.hub import Viewer
from dashboard.offers import offers

# Fragment, zone and roles -> its text, for the time of one tick.
Rendered = dict[tuple[str, str, frozenset[str]], str]


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
