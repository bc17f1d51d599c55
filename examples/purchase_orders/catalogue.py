"""The data files of this example: people.toml and goods.toml."""

from __future__ import annotations

import hashlib
import random
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

from examples.purchase_orders.currencies import from_euros


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


PEOPLE = _read("people.toml")
PLACES: dict[str, dict[str, Any]] = PEOPLE["places"]
SUPPLIERS: list[dict[str, str]] = PEOPLE["suppliers"]
ARTICLES: list[dict[str, Any]] = _read("goods.toml")["articles"]
PRICE_RANGES = {article["prefix"]: tuple(map(Decimal, article["euros"])) for article in ARTICLES}


def order_lines(chance: random.Random, count: int) -> list[dict[str, Any]]:
    """That many order lines, each with an article number of its own."""
    return [_line(chance, number) for number in chance.sample(range(10_000, 100_000), count)]


def unit_price(sku: str, currency: str) -> Decimal:
    """The list price of an article, the same on every look-up."""
    low, high = PRICE_RANGES[sku.partition("-")[0]]
    return from_euros(low + (high - low) * int(number(sku, digits=6)) / 10**6, currency)


def _line(chance: random.Random, number: int) -> dict[str, Any]:
    article = chance.choice(ARTICLES)
    # Most lines order a few, some order a pallet.
    quantity = max(1, round(article["most"] * chance.random() ** 3))
    description = f"{article['description']} {chance.choice(article['sizes'])}"
    return {"sku": f"{article['prefix']}-{number}", "qty": quantity, "description": description}


def number(*parts: object, digits: int = 8) -> str:
    """A reference number that depends on nothing but its parts, so that a restart repeats it."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()
    return str(int(digest[:15], 16) % 10**digits).zfill(digits)
