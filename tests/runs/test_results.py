"""The one serializer: what goes in is what the database can hold, and a paid result is never thrown away."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.errors import Unstorable
from runs.money import Money
from runs.results import clean, raw_text, stored
from tests.support.factories import ask


def through_postgres(text: str) -> Any:
    return ask("SELECT %(text)s::jsonb AS value", text=text)[0]["value"]


def test_decimals_dates_and_money_have_one_form() -> None:
    kept = stored(
        {
            "total": Decimal("1.10"),
            "at": datetime(2026, 9, 4, tzinfo=UTC),
            "on": date(2026, 9, 4),
            "paid": Money("0.40", "eur"),
        }
    )
    assert kept.value == {
        "total": "1.10",
        "at": "2026-09-04T00:00:00+00:00",
        "on": "2026-09-04",
        "paid": {"amount": "0.40", "currency": "EUR"},
    }


def test_c03_nul_becomes_the_replacement_character_in_values_and_keys_and_the_raw_text_is_kept() -> None:
    kept = stored({"text": "Mr\x00 Smith", "a\x00b": [1, "\x00"]})
    assert kept.value == {
        "text": "Mr\ufffd Smith",
        "a\ufffdb": [1, "\ufffd"],
        "_altered": kept.value["_altered"],
    }
    assert "text" in kept.value["_altered"]
    assert kept.raw is not None and "\\u0000" in kept.raw
    assert through_postgres(kept.text) == kept.value


def test_c04_what_is_no_number_becomes_null_and_is_marked() -> None:
    kept = stored({"score": float("nan"), "ratio": float("-inf"), "big": 1e400, "d": Decimal("NaN")})
    assert kept.value == {
        "score": None,
        "ratio": None,
        "big": None,
        "d": None,
        "_altered": ["big", "d", "ratio", "score"],
    }
    assert kept.raw is not None and "NaN" in kept.raw and "-Infinity" in kept.raw
    assert through_postgres(kept.text) == kept.value


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), Decimal("NaN"), Decimal("Infinity")])
def test_c04_money_whose_amount_is_no_number_is_refused_rather_than_silently_null(amount: Any) -> None:
    with pytest.raises(Unstorable, match="is money whose amount is") as refused:
        stored({"charge": {"amount": amount, "currency": "EUR"}})
    assert "EUR" in refused.value.raw


@pytest.mark.parametrize("odd", [object(), {1, 2}, b"bytes", lambda: 1, 10**1001, {"deep": [object()]}])
def test_what_has_no_json_form_is_refused_with_the_raw_text_kept(odd: Any) -> None:
    with pytest.raises(Unstorable, match="cannot be stored") as refused:
        stored(odd)
    assert refused.value.raw


def test_nesting_without_end_is_refused_and_not_a_crash() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(Unstorable, match="cannot be stored"):
        stored(endless)
    with pytest.raises(Unstorable):
        stored({"a": {"b": endless}})


def test_a_lone_surrogate_is_no_reason_to_fail() -> None:
    kept = stored({"name": "a\ud800b"})
    assert kept.value["name"] == "a?b"
    assert through_postgres(kept.text) == kept.value
    assert clean("\x00\ud800") == "\ufffd?"


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def test_even_what_cannot_be_shown_has_a_raw_text() -> None:
    assert "repr failed" in raw_text(Odd())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_whatever_json_a_step_returns_is_stored_and_reads_back_the_same(value: Any) -> None:
    try:
        kept = stored(value)
    except Unstorable as refused:
        assert refused.raw
        return
    assert same(through_postgres(kept.text), kept.value)


def same(read: Any, kept: Any) -> bool:
    """jsonb writes 7.1e+16 out as an integer: another number to Python, and the same float."""
    if isinstance(kept, dict):
        return read.keys() == kept.keys() and all(same(read[key], kept[key]) for key in kept)
    if isinstance(kept, list):
        return len(read) == len(kept) and all(map(same, read, kept))
    return bool(float(read) == kept if isinstance(kept, float) else read == kept)
