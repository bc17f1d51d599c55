"""Labels: what people search a run by, from its input or a step's result, and only from there."""

from __future__ import annotations

from typing import Any

import pytest

from runs import labels
from runs.workflow import Label, Workflow

FLOW = Workflow(
    "labelled",
    labels=[
        Label("buyer", "input.buyer.name", searchable=True),
        Label("total", "quote.total", money="quote.currency"),
        Label("note", "quote.note", searchable=True),
    ],
)


def test_a_label_has_its_value_its_folded_form_and_its_currency() -> None:
    values = {"quote": {"total": "12.50", "currency": "EUR", "note": "  Ünal\u00a0&  Söhne "}}
    assert labels.brought_by("quote", FLOW, values) == [
        {"name": "total", "value": "12.50", "folded": "", "currency": "EUR"},
        {"name": "note", "value": "  Ünal\u00a0&  Söhne ", "folded": "ünal & söhne", "currency": ""},
    ]


@pytest.mark.parametrize(
    "result", [None, [], "text", 7, {}, {"total": None}, {"total": {"a": 1}}, {"note": []}]
)
def test_a_path_that_leads_nowhere_brings_no_label(result: Any) -> None:
    assert labels.brought_by("quote", FLOW, {"quote": result}) == []


def test_a_label_comes_with_its_own_source_only() -> None:
    values = {"input": {"buyer": {"name": "Größl"}}, "quote": {"total": "1"}}
    assert [label["name"] for label in labels.brought_by("input", FLOW, values)] == ["buyer"]


def test_a_very_long_value_is_cut() -> None:
    (label,) = labels.brought_by("input", FLOW, {"input": {"buyer": {"name": "x" * 9000}}})
    assert len(label["value"]) == labels.VALUE_MAX


@pytest.mark.parametrize(
    ("one", "other"),
    [("STRASSE", "straße"), ("ﬁve", "FIVE"), ("\uff21\uff44\uff41", "ada"), ("a \t b", "A B")],
)
def test_what_a_person_would_call_the_same_is_folded_to_the_same(one: str, other: str) -> None:
    assert labels.folded(one) == labels.folded(other)
