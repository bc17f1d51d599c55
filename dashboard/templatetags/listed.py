"""Links from a row of the list."""

from __future__ import annotations

from django import template
from runs.queries import Line

from dashboard.filters.grammar import Word
from dashboard.filters.listing import Listing

register = template.Library()


@register.filter
def same_order_url(line: Line) -> str:
    """Every run of this order."""
    return Listing(filter=str(Word("order", line.order))).url()
