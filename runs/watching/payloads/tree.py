"""A payload as a tree of fields, redacted while it is read; and the same payload as JSON again, for a download."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from runs.watching.payloads.redaction import EVERYBODY, HIDDEN, Path, Sight, is_hidden, redacted
from runs.watching.payloads.scan import Part, Token, tokens

# What stands at the end of a cut text may be the first half of what would have been hidden.
EDGE = 64
# A field deeper than this, or under longer names, is not opened by itself: a link would not carry its path.
DEEPEST_PATH, LONGEST_PATH = 32, 500
KEY_SHOWN = 80


@dataclass
class Node:
    """A field. `text` is what may be shown of a plain value; an object or array has children instead. `is_partly`:
    something inside the text is hidden."""

    key: str
    kind: str
    path: Path
    text: str = ""
    is_hidden: bool = False
    is_partly: bool = False
    children: list[Node] = field(default_factory=list)

    @property
    def is_plain(self) -> bool:
        return self.is_hidden or self.kind not in ("object", "array")


@dataclass(frozen=True)
class Tree:
    """`root` with at most as many fields as asked for. `is_whole` is false where there is more than that."""

    root: Node
    is_whole: bool


class _Value(NamedTuple):
    token: Token
    names: list[str]
    is_hidden: bool


def tree(text: str, root: Path, sight: Sight = EVERYBODY, most: int = 400) -> Tree:
    """The fields of a JSON text, which may be cut off. `root` is where the text stands: ("input",), ("quote",)."""
    top = Node("", "array", root)
    stack = [top]
    is_whole = True
    for count, value in enumerate(_walk(text, root, sight)):
        part = value.token.part
        if part is Part.CLOSE:
            stack.pop()
            continue
        is_whole = count < most and part is not Part.CUT
        node = _node(value)
        if count >= most or (part is Part.CUT and not node.text):
            break
        stack[-1].children.append(node)
        if part is Part.OPEN and not value.is_hidden:
            stack.append(node)
    return Tree(top.children[0] if top.children else top, is_whole)


def rewritten(text: str, root: Path, sight: Sight = EVERYBODY) -> str:
    """The whole text as JSON once more, with a string that says so in place of each hidden value."""
    parts: list[str] = []
    closers: list[str] = []
    is_first = True
    for value in _walk(text, root, sight):
        token = value.token
        if token.part is Part.CLOSE:
            parts.append(closers.pop())
            is_first = False
            continue
        parts.append("" if is_first else ", ")
        if closers and closers[-1] == "}":
            parts.append(f"{_quoted(redacted(value.names[-1]))}: ")
        opens = token.part is Part.OPEN and not value.is_hidden
        parts.append(token.text if opens else _written(value))
        is_first = opens
        if opens:
            closers.append("}" if token.text == "{" else "]")
    return "".join(parts)


def _walk(text: str, root: Path, sight: Sight) -> Iterator[_Value]:
    """Each value with its path. Of one that is hidden whole nothing inside is handed on."""
    names, indexes = list(root), list[int | None]()
    muted_at: int | None = None
    for token in tokens(text):
        if token.part is Part.KEY:
            names[-1] = token.text
            continue
        if token.part is Part.CLOSE:
            names.pop()
            indexes.pop()
            if muted_at is None:
                yield _Value(token, names, False)
            elif muted_at == len(indexes):
                muted_at = None
            continue
        index = indexes[-1] if indexes else None
        if index is not None:
            names[-1], indexes[-1] = str(index), index + 1
        hidden = muted_at is None and is_hidden(names, sight, token.part is Part.NUMBER, len(root))
        if muted_at is None or token.part is Part.CUT:
            yield _Value(token, names, hidden or muted_at is not None)
        if token.part is Part.OPEN:
            muted_at = len(indexes) if hidden else muted_at
            indexes.append(0 if token.text == "[" else None)
            names.append("")


_KINDS = {Part.NUMBER: "number", Part.WORD: "word"}


def _node(value: _Value) -> Node:
    token = value.token
    kind = (
        {"{": "object", "[": "array"}[token.text]
        if token.part is Part.OPEN
        else _KINDS.get(token.part, "string")
    )
    path = tuple(value.names) if len(value.names) <= DEEPEST_PATH else ()
    if sum(map(len, path)) > LONGEST_PATH:
        path = ()
    key = redacted(value.names[-1])
    key = key if len(key) <= KEY_SHOWN else f"{key[:KEY_SHOWN]}…"
    if value.is_hidden:
        return Node(key, kind, path, HIDDEN, True)
    shown = "" if token.part is Part.OPEN else redacted(token.text)
    if token.part is Part.CUT:
        return Node(key, kind, path, shown[:-EDGE])
    return Node(key, kind, path, shown, is_partly=token.part is not Part.OPEN and shown != token.text)


def _written(value: _Value) -> str:
    token = value.token
    if value.is_hidden:
        return _quoted(HIDDEN)
    shown = redacted(token.text)
    return shown if token.part in _KINDS and shown == token.text else _quoted(shown)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
