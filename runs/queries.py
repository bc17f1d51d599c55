"""The reads that pages ask for. Everything here is plain data: nothing writes, nothing renders."""

from __future__ import annotations

from runs.watching.counts import CAP, Count, Counts
from runs.watching.deeds.asks import Ask, ask_of, was_asked
from runs.watching.deeds.book import Book, BookFilter, Deed, book
from runs.watching.deeds.parts import Preview
from runs.watching.deeds.possible import why_not
from runs.watching.deeds.previews import bought_again, dropped, preview
from runs.watching.deeds.since import Since, since
from runs.watching.filters import ALL, OPEN, STATES
from runs.watching.history.axis import Axis, Tick
from runs.watching.history.calls import Call, Known
from runs.watching.history.lanes import Bar, Lane
from runs.watching.history.reading import History
from runs.watching.history.table import rows as history_rows
from runs.watching.links import dom_key, run_query
from runs.watching.orders import Key, Orders, Page
from runs.watching.payloads.layout import blocks, in_a_line
from runs.watching.payloads.parts import Index, Named, Part, Payloads, Ref, TooLarge
from runs.watching.payloads.redaction import HIDDEN, redacted
from runs.watching.plans import Plans, plans
from runs.watching.rows import Line
from runs.watching.run import LOG_PAGE, Log, RunPage, Runs, Stage
from runs.watching.search import SEARCH_CAP, normalised, search
from runs.watching.sentences import Entry
from runs.watching.stops import stops
from runs.watching.tail import Moved, Position, held_back, moved_since, position
from runs.watching.telling import Told, to_the_buyer, told
from runs.watching.usual import Usual
from runs.watching.wanted import Pattern, Span, Wanted

__all__ = [
    "ALL",
    "CAP",
    "HIDDEN",
    "LOG_PAGE",
    "OPEN",
    "SEARCH_CAP",
    "STATES",
    "Ask",
    "Axis",
    "Bar",
    "Book",
    "BookFilter",
    "Call",
    "Count",
    "Counts",
    "Deed",
    "Entry",
    "History",
    "Index",
    "Key",
    "Known",
    "Lane",
    "Line",
    "Log",
    "Moved",
    "Named",
    "Orders",
    "Page",
    "Part",
    "Pattern",
    "Payloads",
    "Plans",
    "Position",
    "Preview",
    "Ref",
    "RunPage",
    "Runs",
    "Since",
    "Span",
    "Stage",
    "Tick",
    "Told",
    "TooLarge",
    "Usual",
    "Wanted",
    "ask_of",
    "blocks",
    "book",
    "bought_again",
    "dom_key",
    "dropped",
    "held_back",
    "history_rows",
    "in_a_line",
    "moved_since",
    "normalised",
    "plans",
    "position",
    "preview",
    "redacted",
    "run_query",
    "search",
    "since",
    "stops",
    "to_the_buyer",
    "told",
    "was_asked",
    "why_not",
]
