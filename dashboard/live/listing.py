"""What lists are sent: the rows that changed on a screen, how many are new for it, the counters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from zoneinfo import ZoneInfo

from django.template.loader import render_to_string
from django.utils import timezone
from runs.errors import TookTooLong
from runs.queries import Counts, Line, Orders, Plans, Position, Wanted

from dashboard.filters.listing import Listing
from dashboard.filters.meaning import Known, understood
from dashboard.live.hub import Viewer
from dashboard.views.summary import Summary, day_began, summary

NEWS_CAP = 500


def rows(
    viewers: list[Viewer], lines: dict[str, Line], candidates: set[str], plans: Plans, position: Position
) -> None:
    """Send each list the rows on its screen that changed, and how many it does not show yet."""
    rendered: dict[tuple[str, str, frozenset[str]], str] = {}
    # What is new on a list is found once for all who look at the same list.
    moved = [lines[run_id] for run_id in candidates & lines.keys()]
    told: dict[tuple[str, str, frozenset[str]], list[tuple[Line, bool]]] = {}
    for viewer in viewers:
        fragments = _changed(viewer, lines, rendered)
        if viewer.watch.counts_news:
            asked = (viewer.watch.state, viewer.watch.filter, viewer.roles)
            if asked not in told:
                wanted = _wanted(viewer, plans)
                told[asked] = [(line, wanted.holds(line, plans)) for line in moved]
            fragments |= _news(viewer, told[asked])
        if fragments:
            viewer.put(fragments, position)


def _changed(
    viewer: Viewer, lines: dict[str, Line], rendered: dict[tuple[str, str, frozenset[str]], str]
) -> dict[str, str]:
    fragments = {}
    for run_id in viewer.shown & lines.keys():
        line = lines[run_id]
        if viewer.prints.get(run_id) == line.print:
            continue
        viewer.prints[run_id] = line.print
        key = (run_id, viewer.zone, viewer.roles)
        if key not in rendered:
            context = {"line": line.seen_by(viewer.roles), "oob": True}
            with timezone.override(ZoneInfo(viewer.zone)):
                rendered[key] = render_to_string("orders/_row.html", context)
        fragments[f"row-{line.key}"] = rendered[key]
    return fragments


def _wanted(viewer: Viewer, plans: Plans) -> Wanted:
    if not viewer.watch.filter:
        return Wanted((viewer.watch.state,))
    return understood(viewer.watch.filter, Known.of(plans, viewer.roles), viewer.watch.state).wanted


def _news(viewer: Viewer, candidates: Iterable[tuple[Line, bool]]) -> dict[str, str]:
    """New rows are told, never pushed in: the list must not move under the pointer."""
    before = len(viewer.news)
    for line, is_wanted in candidates:
        if line.run_id in viewer.shown:
            continue
        if is_wanted and viewer.watch.is_news(line):
            viewer.news.add(line.run_id)
        else:
            viewer.news.discard(line.run_id)
    if len(viewer.news) == before:
        return {}
    asked = Listing(state=viewer.watch.state, filter=viewer.watch.filter)
    context = {"news": min(len(viewer.news), NEWS_CAP), "oob": True, "first_url": asked.url()}
    return {"news": render_to_string("orders/_news.html", context)}


def summaries(viewers: list[Viewer], reads: Orders, position: Position) -> None:
    """Counters and title. The day of "today" is cut in each viewer's zone."""
    by_zone: dict[str, list[Viewer]] = defaultdict(list)
    for viewer in viewers:
        by_zone[viewer.zone].append(viewer)
    for zone, group in by_zone.items():
        with timezone.override(ZoneInfo(zone)):
            counts = _counts(reads)
            for state, title in {(v.watch.state, v.watch.title) for v in group}:
                same = [v for v in group if (v.watch.state, v.watch.title) == (state, title)]
                _head(same, summary(counts, "" if title else state, title), position)


def _head(viewers: list[Viewer], head: Summary, position: Position) -> None:
    """The counters where a number has changed; of the finished ones' count otherwise only its age."""
    parts = {
        "summary": ("orders/_summary.html", repr(replace(head, counted_at=None, now=None))),
        "counted": ("orders/_counted.html", str(head.counted_at)),
    }
    for part, (template, state) in parts.items():
        behind = [viewer for viewer in viewers if viewer.prints.get(part) != state]
        html = render_to_string(template, {"summary": head, "oob": True}) if behind else ""
        for viewer in behind:
            viewer.prints[part] = state
            viewer.put({part: html}, position)


def _counts(reads: Orders) -> Counts | None:
    try:
        return reads.counts(day_began(timezone.now()))
    except TookTooLong:
        return None
