from __future__ import annotations

import json
import statistics
from collections import Counter
from decimal import Decimal

from examples.purchase_orders.catalogue import PLACES
from examples.purchase_orders.currencies import MINOR_UNITS
from examples.purchase_orders.orders import MOST_LINES, Orders
from examples.purchase_orders.vendors.houses import price

BOOK = Orders(seed=7)
MANY = [BOOK.order(number) for number in range(1, 4001)]


def test_the_same_seed_gives_the_same_orders_in_any_order():
    again = Orders(seed=7)
    assert [again.order(number) for number in (900, 3, 1)] == [MANY[899], MANY[2], MANY[0]]


def test_another_seed_gives_other_orders_and_runs():
    other = Orders(seed=8).order(1)
    assert other.run_id != MANY[0].run_id and other.input != MANY[0].input


def test_every_order_is_a_run_and_a_number_of_its_own():
    assert len({order.run_id for order in MANY}) == len({order.input["order_ref"] for order in MANY}) == 4000
    assert MANY[40].input["order_ref"] == "PO-2026-0041"
    assert all(order.run_id.startswith("run_") for order in MANY)


def test_sizes_are_skewed():
    sizes = sorted(len(order.input["lines"]) for order in MANY)
    assert statistics.median(sizes) == 6
    assert (sizes[0], sizes[-1]) == (1, MOST_LINES)
    assert 180 <= sizes[int(0.99 * len(sizes)) - 1] <= MOST_LINES


def test_lines_of_an_order_have_numbers_of_their_own():
    for order in MANY[:500]:
        numbers = [line["sku"] for line in order.input["lines"]]
        assert len(set(numbers)) == len(numbers)
        assert all(line["qty"] >= 1 and line["description"] for line in order.input["lines"])


def test_currencies_are_mostly_euros_and_all_known_ones_occur():
    seen = Counter(order.input["currency"] for order in MANY)
    assert set(seen) == set(MINOR_UNITS)
    assert 0.7 < seen["EUR"] / len(MANY) < 0.95


def test_prices_have_the_decimals_of_their_currency():
    for currency, decimals in MINOR_UNITS.items():
        for line in MANY[4].input["lines"]:
            unit = Decimal(price("c", {"sku": line["sku"], "currency": currency})[0]["unit_price"])
            assert unit.as_tuple().exponent == -decimals and unit > 0


def test_buyers_have_names_as_registers_hold_them():
    names = {order.input["buyer"]["name"] for order in MANY}
    assert any("ß" in name for name in names) and any("Ö" in name for name in names)
    assert 50 < max(map(len, names)) <= 60
    assert {order.input["buyer"]["country"] for order in MANY} == set(PLACES)
    assert all(order.input["buyer"]["email"].isascii() for order in MANY)


def test_buyers_come_back():
    seen = Counter(order.input["buyer"]["account"] for order in MANY)
    assert seen.most_common(1)[0][1] > 10


def test_a_return_belongs_to_its_order():
    order = MANY[9]
    back = Orders(seed=7).goods_return(1, order)
    assert back.input["purchase_order"] == order.input["order_ref"]
    assert back.run_id != order.run_id
    bought = {line["sku"]: line["qty"] for line in order.input["lines"]}
    assert all(line["qty"] <= bought[line["sku"]] and line["unit_price"] for line in back.input["lines"])


def test_input_survives_json():
    assert json.loads(json.dumps(MANY[0].input)) == MANY[0].input
