"""Links from a row of the list, and whether its reader follows it."""

from __future__ import annotations

from django import template
from runs.queries import Line

from dashboard.filters.grammar import Word
from dashboard.filters.listing import Listing
from dashboard.models import Follow

register = template.Library()


@register.filter
def same_order_url(line: Line) -> str:
    """Every run of this order."""
    return Listing(filter=str(Word("order", line.order))).url()


@register.simple_tag(takes_context=True)
def is_followed(context: template.Context, run_id: str) -> bool:
    return Follow.objects.filter(user=context["request"].user.pk, run_id=run_id).exists()
