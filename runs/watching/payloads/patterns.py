"""Values that give themselves away in the middle of a text: card numbers, keys with a known beginning, pairs.

Own patterns, and few. The libraries of this field look for keys in source files, judge by entropy (which an order
number passes), or bring a language model; none knows our fields. Each pattern here is linear in the text.
"""

from __future__ import annotations

import re

from runs.watching.payloads.secrets import numbers_somebody, opens_something

HIDDEN = "[hidden]"

_KEYS = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"
    r"|(?<![A-Za-z])(?:"
    r"(?i:[srp]k_(?:live|test)_\w+|whsec_\w+|sk-[\w-]{16,}|glpat-[\w-]{10,}|xox[a-z]-[\w-]{8,}|github_pat_\w{10,})"
    r"|gh[a-z]_[A-Za-z0-9]{16,}|(?:AKIA|ASIA)[0-9A-Z]{12,}|AIza[\w-]{20,}|ya29\.[\w-]+|SG\.[\w-]{10,}\.[\w-]+"
    r"|eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?)"
    r"|(?i:(?<![A-Za-z])(?:bearer|basic)\s{1,3})(?=\S{0,200}[\d=]|\S{0,200}[a-z]\S{0,200}[A-Z]|\S{20})[A-Za-z0-9+/=._~-]{6,}"
    r"|(?<=://)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)",
    re.DOTALL,
)
# What every pattern below needs somewhere: most values are plain words and numbers, and are done here.
_SUSPECT = re.compile(
    r"[:=]|[-_.][\w-]|\d(?:[ \u00a0._-]?\d){12}|(?i:bearer|basic|akia|asia|aiza|private key)"
)
_LINES = re.compile(r"(?i)((?:set-)?cookie|(?:proxy-)?authorization)(\\*[\"']?\s{0,3}[:=]\s{0,3})[^\r\n]+")
_BETWEEN = re.compile(r"\\{0,4}[\"']?\s{0,3}(?:=>|:=|[:=])\s{0,3}")
_NAME = re.compile(r"[A-Za-z][\w.-]*\Z")
_NAME_MAX = 64
_VALUE = re.compile(
    r"\\*\"(?:[^\"\\]|\\.)*\"?|\\*'(?:[^'\\]|\\.)*'?|\[[^\]]*\]?|\{[^}]*\}?|\((?!hidden)[^)]*\)?|[^\s,;&\"'<>)\]}]+",
    re.DOTALL,
)
_DIGITS = re.compile(r"\d(?:[ \u00a0._-]?\d)+")
_GROUP = re.compile(r"\d+")
_LONGEST_CARD, _SHORTEST_CARD = 19, 13


def masked(text: str) -> str:
    """The text with everything that gives itself away replaced by HIDDEN."""
    if not _SUSPECT.search(text):
        return text
    return _without_cards(_without_pairs(_LINES.sub(rf"\1\2{HIDDEN}", _KEYS.sub(HIDDEN, text))))


def _without_pairs(text: str) -> str:
    """password=…, 'api_key': '…', pw: … inside a sentence, a traceback, or JSON kept as text."""
    parts: list[str] = []
    at = 0
    for between in _BETWEEN.finditer(text):
        if between.start() < at:
            continue
        # Looking back from the sign between them keeps a text without any as cheap as reading it.
        name = _NAME.search(text[max(0, between.start() - _NAME_MAX) : between.start()])
        if name and _is_secret(name[0], text, between.end()) and (value := _VALUE.match(text, between.end())):
            parts += [text[at : between.end()], HIDDEN]
            at = value.end()
    return "".join(parts) + text[at:]


def _is_secret(name: str, text: str, at: int) -> bool:
    if opens_something(name):
        return True
    return numbers_somebody(name) and any(c.isdigit() for c in text[at : at + _NAME_MAX].partition(" ")[0])


def _without_cards(text: str) -> str:
    return _DIGITS.sub(_hide_cards, text)


def _hide_cards(found: re.Match[str]) -> str:
    """Cards among groups of digits: a date or an order number may stand in front of one."""
    text = found[0]
    if len(text) < _SHORTEST_CARD:
        return text
    groups = list(_GROUP.finditer(text))
    parts: list[str] = []
    at = first = 0
    while first < len(groups):
        after = _card_from(groups, first)
        if after:
            parts += [text[at : groups[first].start()], HIDDEN]
            at, first = groups[after - 1].end(), after
        else:
            first += 1
    return "".join(parts) + text[at:]


def _card_from(groups: list[re.Match[str]], first: int) -> int:
    """The group after the card that begins at group `first`; 0 where none does."""
    digits = ""
    for place in range(first, min(len(groups), first + _LONGEST_CARD)):
        digits += groups[place][0]
        if len(digits) > _LONGEST_CARD:
            return 0
        if len(digits) >= _SHORTEST_CARD and _is_card(digits):
            return place + 1
    return 0


def _is_card(digits: str) -> bool:
    """Issued by a card scheme, and its check digit fits. Moments in milliseconds begin with a 1 and never are."""
    issued = digits[0] in "3456" or (len(digits) == 16 and "2221" <= digits[:4] <= "2720")
    return issued and _luhn(digits)


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
