"""The one serializer of inputs, results and items: what goes in is what the database can hold.

JSON in Postgres knows neither NaN nor the NUL character. A paid result is not thrown away for
that: the odd value is replaced, its path noted under ``_altered``, and the raw text kept beside.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from runs.errors import InputRefused, Unstorable

REPLACEMENT = "\ufffd"
# Integers beyond this many digits are no numbers that anybody meant.
DIGITS_MAX = 1000
INTEGER_LIMIT = 10**DIGITS_MAX
DEPTH_MAX = 500
_encoder = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Stored:
    """A value as the record takes it: its text, which paths were altered, and the raw text if any were."""

    text: str
    value: Any
    altered: tuple[str, ...] = ()
    raw: str | None = None


def stored(value: Any) -> Stored:
    """Serialize a result. Raises Unstorable, carrying the raw text, for what has no JSON form or
    for a money field that is not a finite number."""
    plain, altered = storable(value)
    return Stored(as_json(plain), plain, tuple(altered), raw_text(value) if altered else None)


def storable(value: Any) -> tuple[Any, list[str]]:
    """The value as JSON can hold it, and the paths that were altered for that. Raises as stored does."""
    altered: list[str] = []
    try:
        plain = _plain(value, "", altered, 0)
    except (TypeError, ValueError, RecursionError) as error:
        raise Unstorable(f"This result cannot be stored: {error}.", raw=raw_text(value)) from error
    if altered and isinstance(plain, dict):
        plain["_altered"] = sorted({clean(path) for path in altered})
    return plain, altered


def as_json(value: Any) -> str:
    """The text of a value that JSON can hold."""
    return _encoder.encode(value)


def stored_input(value: Any) -> Stored:
    """Serialize an input. Raises InputRefused: an input can be mended by its sender, so nothing is altered."""
    if not isinstance(value, dict):
        raise InputRefused(f"The input of a run must be a JSON object, and this is {_kind(value)}.")
    try:
        kept = stored(value)
    except Unstorable as error:
        raise InputRefused(str(error).replace("This result", "This input")) from error
    if kept.altered:
        raise InputRefused(
            f"The input cannot be stored as it is: {kept.altered[0] or 'a key'} holds NaN, an infinity or NUL."
        )
    return kept


def raw_text(value: Any) -> str:
    """The value as a person can read it, whatever it holds; NUL is shown as its escape."""
    try:
        text = json.dumps(value, default=repr, ensure_ascii=False)
    except Exception:
        # Also whatever the repr of something inside it raises.
        try:
            text = repr(value)
        except Exception as error:
            text = f"<{type(value).__name__} whose repr failed: {error!r}>"
    return clean(text.replace("\x00", "\\u0000"))


def clean(text: str) -> str:
    """Text that the database can hold: NUL and lone surrogates replaced."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.replace("\x00", REPLACEMENT).encode("utf-8", "replace").decode()


def _plain(value: Any, path: str, altered: list[str], depth: int) -> Any:
    if depth > DEPTH_MAX:
        raise ValueError(f"it is nested more than {DEPTH_MAX} deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, path, altered)
    if isinstance(value, int):
        if abs(value) >= INTEGER_LIMIT:
            raise ValueError(f"{path or 'it'} is an integer of more than {DIGITS_MAX} digits")
        return int(value)
    if isinstance(value, float):
        return _number(value, path, altered)
    return _composite(value, path, altered, depth)


def _composite(value: Any, path: str, altered: list[str], depth: int) -> Any:
    if isinstance(value, Decimal):
        if not value.is_finite():
            altered.append(path)
            return None
        return str(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, dict):
        _check_money(value, path)
        return {
            _text(str(k), path, altered): _plain(v, f"{path}.{k}".lstrip("."), altered, depth + 1)
            for k, v in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(v, f"{path}[{n}]", altered, depth + 1) for n, v in enumerate(value)]
    to_json = getattr(value, "as_json", None)
    if callable(to_json):
        return _plain(to_json(), path, altered, depth + 1)
    raise TypeError(f"{path or 'it'} is {_kind(value)}, which has no JSON form")


def _text(value: str, path: str, altered: list[str]) -> str:
    cleaned = clean(value)
    if cleaned != value:
        altered.append(path)
    return cleaned


def _number(value: float, path: str, altered: list[str]) -> float | None:
    if math.isfinite(value):
        return value
    altered.append(path)
    return None


def _check_money(value: dict[Any, Any], path: str) -> None:
    """An object with amount and currency is money: a NaN there must not become a quiet null."""
    if "amount" not in value or "currency" not in value:
        return
    amount = value["amount"]
    odd = isinstance(amount, float) and not math.isfinite(amount)
    if odd or (isinstance(amount, Decimal) and not amount.is_finite()):
        raise ValueError(f"{path or 'it'} is money whose amount is {amount}")


def _kind(value: Any) -> str:
    return f"of type {type(value).__name__}"
