"""The grammar: words of the form key:value, a value quoted where it holds a space. Nothing nests.

filter = { word }        word  = key ":" value
key    = lower case      value = bare, without spaces and quotes | '"' anything, with \\" and \\\\ '"' ["*"]
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 500

_WORD = re.compile(
    r"""(?P<key>[^\s:"]*)(?P<colon>:?)(?:"(?P<quoted>(?:[^"\\]|\\.)*)(?P<close>"?)(?P<star>\*?)|(?P<bare>[^\s"]*))"""
)
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Word:
    """One condition as it was written. A star at the end of the value asks for a beginning."""

    key: str
    value: str
    is_beginning: bool = False

    def __str__(self) -> str:
        star = "*" if self.is_beginning else ""
        if self.value and not re.search(r'[\s"]', self.value) and not self.value.endswith("*"):
            return f"{self.key}:{self.value}{star}"
        escaped = self.value.replace("\\", "\\\\").replace('"', '\\"')
        return f'{self.key}:"{escaped}"{star}'


@dataclass(frozen=True)
class Problem:
    """A word that was not understood, as written, and what was expected instead."""

    word: str
    expected: str


def words(text: str) -> tuple[list[Word], list[Problem]]:
    """The words of a filter, and what is wrong with its form. Knows no keys."""
    found: list[Word] = []
    problems: list[Problem] = []
    if len(text) > LONGEST:
        return [], [Problem(f"{text[:20]}…", f"a filter of at most {LONGEST} characters")]
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _WORD.match(text, at)
        assert match is not None
        at = max(match.end(), at + 1)
        word, problem = _word(match)
        if problem:
            problems.append(problem)
        else:
            found.append(word)
    return found, problems


def _word(match: re.Match[str]) -> tuple[Word, Problem | None]:
    key, bare, quoted = match["key"].lower(), match["bare"], match["quoted"]
    written = match[0] or match.string[match.start()]
    if quoted is not None:
        word = Word(key, _ESCAPED.sub(r"\1", quoted).strip(), bool(match["star"]))
        if not match["close"]:
            return word, Problem(written, 'a closing "')
    else:
        word = Word(
            key, bare.removesuffix("*") if len(bare) > 1 else bare, len(bare) > 1 and bare.endswith("*")
        )
    if not match["colon"] or not key:
        return word, Problem(
            written, 'a key, a colon and a value, such as step:charge or buyer:"Nord Fracht"'
        )
    if not word.value:
        return word, Problem(
            written, f"a value after {key}:, such as {_EXAMPLES.get(key, f'{key}:something')}"
        )
    return word, None


_EXAMPLES = {
    "state": "state:slow",
    "step": "step:charge",
    "vendor": 'vendor:"Nord Fracht"',
    "build": "build:9.3",
    "worker": "worker:worker-17",
    "order": "order:PO-2026-00*",
    "run": "run:run_8f3c1a",
    "changed": "changed:<1h",
    "stuck": "stuck:>1h",
    "due": "due:<5m",
}
