"""Reading JSON as text, so that digits stay as the database wrote them and no depth is too deep.

A parser would make floats of numbers, recurse into what is nested 5,000 deep, and refuse a text that was cut off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

_TOKEN = re.compile(
    r"\s*(?:(?P<mark>[{}\[\],:])|(?P<string>\"[^\"\\]*(?:\\.[^\"\\]*)*\")|(?P<number>-?\d[\d.eE+-]*)"
    r"|(?P<word>true|false|null))",
    re.DOTALL,
)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


class Part(StrEnum):
    OPEN = "open"
    CLOSE = "close"
    KEY = "key"
    STRING = "string"
    NUMBER = "number"
    WORD = "word"
    CUT = "cut"


class Token(NamedTuple):
    """A piece of a JSON text. `text` is as written, or for a key or string what it stands for; of one that the text's
    end cut off, as much as there is, under Part.CUT."""

    part: Part
    text: str


def tokens(text: str) -> Iterator[Token]:
    """The pieces of a JSON text in order, ending with Part.CUT where the text ends too early."""
    at, depth, in_object, wants_key = 0, 0, [False], False
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or (found["number"] and found.end() == len(text) and depth):
            break
        at = found.end()
        if mark := found["mark"]:
            if mark in "{[":
                depth += 1
                in_object.append(mark == "{")
                yield Token(Part.OPEN, mark)
            elif mark in "}]":
                depth -= 1
                in_object.pop()
                yield Token(Part.CLOSE, mark)
            wants_key = mark != ":" and bool(in_object) and in_object[-1]
        elif string := found["string"]:
            yield Token(Part.KEY if wants_key else Part.STRING, plain(string))
        else:
            yield Token(Part.NUMBER if found["number"] else Part.WORD, found["number"] or found["word"])
    if depth or text[at:].strip():
        yield Token(Part.CUT, _rest(text[at:].lstrip(), wants_key))


def plain(string: str) -> str:
    """What a JSON string stands for; a lone surrogate, which no page can carry, reads as a replacement."""
    if "\\" not in string:
        return string[1:-1]
    return str(json.loads(string)).encode("utf-8", "replace").decode()


def as_written(text: str) -> str:
    """What a person would read: of a JSON string its text, of anything else the JSON."""
    found = list(islice(tokens(text), 2))
    return found[0].text if len(found) == 1 and found[0].part is Part.STRING else text


def _rest(text: str, wants_key: bool) -> str:
    """What there is of a string that the end cut off. Half a key or half a number tells nothing."""
    if not text.startswith('"') or wants_key:
        return ""
    try:
        return plain(_HALF_ESCAPE.sub("", text) + '"')
    except ValueError:
        return ""
