"""Purchase orders out of a seed: the same seed and number give the same order on every machine."""

from __future__ import annotations

import hashlib
import math
import random
import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from examples.purchase_orders.catalogue import PEOPLE, PLACES, order_lines, unit_price

BUYERS = 400
# Half of all orders have up to six lines, one in a hundred has as many as an order may have.
MEDIAN_LINES, MOST_LINES = 6, 240
SPREAD = math.log(MOST_LINES / MEDIAN_LINES) / 2.326

GERMAN = ("DE", "AT", "CH")
SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ł": "l", "ø": "o", "\u2019": ""})

CHANNELS = ("portal", "portal", "portal", "edi", "edi", "mail", "phone")
URGENCIES = ("standard", "standard", "standard", "standard", "express", "line down")


@dataclass(frozen=True)
class Order:
    run_id: str
    input: dict[str, Any]


@dataclass
class Orders:
    """An endless book of orders. `order(n)` needs no other order, so a restart goes on at any number."""

    seed: int = 2026
    year: int = 2026
    _buyers: list[dict[str, Any]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._buyers = [_buyer(self._chance("buyer", n), n) for n in range(BUYERS)]

    def order(self, number: int) -> Order:
        chance = self._chance("order", number)
        # Some buyers order every day and most once in a while.
        buyer = self._buyers[int(BUYERS * chance.random() ** 2)]
        size = round(MEDIAN_LINES * math.exp(SPREAD * chance.gauss(0.0, 1.0)))
        details = {
            "order_ref": f"PO-{self.year}-{number:04d}",
            "channel": chance.choice(CHANNELS),
            "urgency": chance.choice(URGENCIES),
            "buyer": buyer,
            "buyer_reference": _reference(chance, buyer),
            "currency": _currency(chance, buyer),
            "lines": order_lines(chance, min(MOST_LINES, max(1, size))),
        }
        return Order(self._run_id("order", number), details)

    def goods_return(self, number: int, returned: Order) -> Order:
        """The buyer of an order sends some of its lines back, at the prices it paid."""
        chance = self._chance("return", number)
        bought, currency = returned.input["lines"], returned.input["currency"]
        lines = chance.sample(bought, min(len(bought), chance.choice((1, 1, 2, 3))))
        details = {
            "order_ref": f"RT-{self.year}-{number:04d}",
            "purchase_order": returned.input["order_ref"],
            "buyer": returned.input["buyer"],
            "buyer_reference": returned.input["buyer_reference"],
            "currency": currency,
            "reason": chance.choice(("Falsche Größe geliefert", "Transportschaden", "Doppelt bestellt")),
            "lines": [line | {"unit_price": str(unit_price(line["sku"], currency))} for line in lines],
        }
        return Order(self._run_id("return", number), details)

    def _chance(self, kind: str, number: int) -> random.Random:
        return random.Random(f"{self.seed}/{kind}/{number}")

    def _run_id(self, kind: str, number: int) -> str:
        digest = hashlib.sha256(f"{self.seed}/{self.year}/{kind}/{number}".encode())
        return f"run_{digest.hexdigest()[:12]}"


def _buyer(chance: random.Random, number: int) -> dict[str, Any]:
    country = chance.choices(list(PLACES), [place["weight"] for place in PLACES.values()])[0]
    place = PLACES[country]
    postcode, city = _split(chance.choice(place["cities"]))
    name = _name(chance, country, place)
    return {
        "account": f"acct_{4000 + number * 7}",
        "name": name,
        "contact": f"{chance.choice(place['given'])} {chance.choice(place['families'])}",
        "email": f"{'einkauf' if country in GERMAN else 'orders'}@{_domain(name)}",
        "street": f"{chance.choice(place['streets'])} {chance.randint(1, 180)}",
        "postcode": postcode,
        "city": city,
        "country": country,
        "vat_id": f"{country}{chance.randint(10**8, 10**9 - 1)}",
    }


def _name(chance: random.Random, country: str, place: dict[str, Any]) -> str:
    if chance.random() < 0.03:
        return str(chance.choice(PEOPLE["long_names"]))
    family, trade, form = (chance.choice(place[part]) for part in ("families", "trades", "forms"))
    if country == "JP":
        return f"{family}{trade}{form}"
    partners = "& Söhne" if country in GERMAN else "& Co."
    return str(
        chance.choice((f"{family} {trade} {form}", f"{trade} {family} {form}", f"{family} {partners} {form}"))
    )


def _split(place: str) -> tuple[str, str]:
    """'111 20 Stockholm' is a postcode with a space and a city without digits."""
    match = re.match(r"(.*\d(?: [A-Z]{2})?) (\D+)$", place)
    assert match is not None, place
    return match[1], match[2]


def _domain(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.lower().translate(SPELLED_OUT))
    words = re.findall(r"[a-z0-9]+", plain.encode("ascii", "ignore").decode())
    return "-".join(words[:2] or ["kaisha"]) + ".example"


def _reference(chance: random.Random, buyer: dict[str, Any]) -> str:
    """Every buyer numbers its orders its own way, and some write a sentence."""
    number = chance.randint(1000, 99999)
    return chance.choice(
        (
            f"4500{number:06d}",
            f"BE-{chance.randint(22, 26)}/{number}",
            f"{buyer['contact'].split()[0]} {number}",
            f"Kst. {chance.randint(100, 990)} / {number}",
            f"Projekt Nordhalle, Los {chance.randint(1, 9)}",
        )
    )


def _currency(chance: random.Random, buyer: dict[str, Any]) -> str:
    # Buyers outside the euro order in euros about as often as in their own money.
    own: str = PLACES[buyer["country"]]["currency"]
    return own if chance.random() < 0.6 else "EUR"
