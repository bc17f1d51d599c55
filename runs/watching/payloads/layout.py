"""A tree of fields as blocks one below the other: names with values, short lists in a line, records as a table."""

from __future__ import annotations

from dataclasses import dataclass

from runs.watching.payloads.tree import Node

COLUMNS_MAX = 8


@dataclass(frozen=True)
class Block:
    """`kind` is field, list, table or group; `depth` how far in it stands. A table has a row a record."""

    kind: str
    depth: int
    name: str
    node: Node
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Node | None, ...], ...] = ()


def blocks(root: Node) -> list[Block]:
    """The blocks of a payload. No recursion: what is nested 5,000 deep is as good as any other."""
    if root.kind == "object" and not root.is_plain:
        waiting = [(child, 0, _spoken(child.key)) for child in reversed(root.children)]
    else:
        waiting = [(root, 0, "")]
    laid: list[Block] = []
    while waiting:
        node, depth, name = waiting.pop()
        block = _block(node, depth, name)
        laid.append(block)
        if block.kind == "group":
            names = (str(n) for n in range(len(node.children), 0, -1)) if node.kind == "array" else None
            for child in reversed(node.children):
                waiting.append((child, depth + 1, next(names) if names else _spoken(child.key)))
    return laid


def in_a_line(root: Node) -> list[tuple[str, Node]]:
    """The plain values of a small payload, each with its name."""
    return [(block.name, block.node) for block in blocks(root) if block.kind == "field"]


def _block(node: Node, depth: int, name: str) -> Block:
    if node.is_plain or not node.children:
        return Block("field", depth, name, node)
    if node.kind == "object":
        return _money(node, depth, name) or Block("group", depth, name, node)
    if all(child.is_plain for child in node.children):
        return Block("list", depth, name, node)
    return _table(node, depth, name) or Block("group", depth, name, node)


def _money(node: Node, depth: int, name: str) -> Block | None:
    """{amount, currency} is one value; its digits stay as they are."""
    found = {child.key: child for child in node.children}
    if set(found) != {"amount", "currency"} or any(
        child.is_hidden or not child.is_plain for child in found.values()
    ):
        return None
    text = f"{found['amount'].text} {found['currency'].text}"
    return Block("field", depth, name, Node(node.key, "number", node.path, text))


def _table(node: Node, depth: int, name: str) -> Block | None:
    """Records with the same few plain fields."""
    columns: dict[str, None] = {}
    for child in node.children:
        if child.kind != "object" or child.is_hidden or not all(each.is_plain for each in child.children):
            return None
        columns |= dict.fromkeys(each.key for each in child.children)
    if not 0 < len(columns) <= COLUMNS_MAX:
        return None
    rows = tuple(
        tuple({each.key: each for each in child.children}.get(key) for key in columns)
        for child in node.children
    )
    return Block("table", depth, name, node, tuple(map(_spoken, columns)), rows)


def _spoken(key: str) -> str:
    """delivery_note -> Delivery note."""
    words = key.replace("_", " ").strip() or "(no name)"
    return words[:1].upper() + words[1:]
