"""The filter's language: what it means, what it says of a word that it does not know, and that it reads back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from dashboard.filters.grammar import LONGEST, Word, words
from dashboard.filters.meaning import Known, understood
from runs.queries import STATES, Orders, Wanted
from tests.dashboard import scene

KNOWN = Known(("Nord Fracht", "Cardline"), ("buyer", "reference"), ("salary",))
BUYER = [
    {"name": "buyer", "path": "input.buyer", "searchable": True},
    {"name": "reference", "path": "input.ref"},
]


def wanted(text: str) -> Wanted:
    found = understood(text, KNOWN)
    assert found.problems == ()
    return found.wanted


def problems(text: str) -> dict[str, str]:
    return {problem.word: problem.expected for problem in understood(text, KNOWN).problems}


values = st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=40)
keys = st.sampled_from(["buyer", "order", "step", "run", "reference"])
word = st.builds(Word, keys, values.map(str.strip).filter(bool), st.booleans())


@given(st.lists(word, max_size=6))
def test_a_filter_that_was_printed_reads_back(given: list[Word]) -> None:
    text = " ".join(map(str, given))
    if len(text) <= LONGEST:
        assert words(text) == (given, [])


@given(st.text(max_size=80))
def test_no_text_breaks_it_and_what_it_understood_stays_the_same(text: str) -> None:
    once = understood(text, KNOWN)
    assert understood(once.normal, KNOWN).wanted == once.wanted or once.problems
    assert bool(once.words or once.problems) == bool(text.strip())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("colour:red", "one of state, step, vendor, build, worker, order, run, changed, stuck, due, buyer, reference"),
        ("salary:high", "your role may not look at salary"),
        ("0041", "a key, a colon and a value"),
        (":charge", "a key, a colon and a value"),
        ("step:", "a value after step:, such as step:charge"),
        ('step:""', "a value after step:"),
        ('vendor:"Nord', 'a closing "'),
        ("vendor:Sued", "one of Nord Fracht, Cardline"),
        ("state:slwo", "slow"),
        ("state:slow,done", "orders that have ended, or of orders that have not"),
        ("state:all,slow", "all and other stand alone"),
        ("changed:1h", "< or > and a time in s, m, h or d, such as changed:<1h"),
        ("due:<5 parsecs", "< or > and a time"),
        ("stuck:>1h*", "< or > and a time"),
        ("step:charge step:quote", "step: only once"),
        ("state:done step:charge", "another state than done: step: asks where an order stands"),
        ("state:failed_seen stuck:>1h", "another state than failed seen"),
        ("x" * 600, "at most 500 characters"),
    ],
)  # fmt: skip
def test_the_word_at_fault_is_named_with_what_was_expected(text: str, names: str) -> None:
    found = problems(text)
    assert any(names in expected for expected in found.values()), found
    assert all(word.rstrip("…") in text for word in found)


@pytest.mark.parametrize(("text", "seconds", "over"), [("<1h", 3600, False), (">30m", 1800, True), ("<5min", 300, False),
                                                       (">2d", 172800, True), ("<90s", 90, False)])  # fmt: skip
def test_times_stay_relative(text: str, seconds: float, over: bool) -> None:
    for key in ("changed", "stuck", "due"):
        span = getattr(wanted(f"{key}:{text}"), key)
        assert (span.seconds, span.is_over) == (seconds, over)


@pytest.mark.parametrize("state", STATES)
def test_every_state_has_its_word(state: str) -> None:
    assert wanted(f"state:{state}").states == (state,)
    assert wanted(f'state:"{state.upper().replace("_", " ")}"').states == (state,)


@pytest.fixture
def orders(ada: Client) -> Client:
    scene.publish(within_seconds=300, labels=BUYER)
    scene.worker()
    scene.worker("other-3#ffff")
    cases: list[tuple[str, float, dict[str, Any]]] = [
        ("moving", 5, {"status": "started", "lease": 20, "step": "quote", "ref": "PO-2026-0041"}),
        ("late", 400, {"status": "started", "lease": 20, "step": "charge_card", "ref": "PO-2026-0042"}),
        ("queued", 60, {"step": "parse_request", "ref": "po-2026-0043"}),
        ("asleep", 4000, {"status": "waiting", "wake": 60, "step": "notify_buyer", "ref": "PO-2025-1"}),
        ("doubt", 7200, {"status": "in_doubt", "step": "charge_card", "ref": "100%_\\"}),
        ("failed", 100, {"status": "failed", "step": "charge_card", "ref": "PO-2026-0044"}),
        ("seen", 100, {"status": "failed", "step": "charge_card", "ref": "PO-2026-0045"}),
        ("done", 10, {"status": "done", "step": "notify_buyer", "ref": "PO-2026-0046"}),
        ("cancelled", 90000, {"status": "cancelled", "step": "quote"}),
        ("odd", 10, {"status": "paused_by_v3", "step": "quote"}),
        ("elsewhere", 10, {"step": "Stage-7", "workflow": "foreign", "lease": 9, "status": "started"}),
    ]  # fmt: skip
    for run_id, seconds, case in cases:
        scene.order(run_id, **case)
        scene.age(run_id, seconds)
    scene.seen("seen")
    for run_id, buyer in (
        ("moving", "Müller Maschinenbau"),
        ("done", "Müller Werkzeuge"),
        ("doubt", 'A "B" \\ C'),
    ):
        scene.label(run_id, "buyer", buyer)
    scene.label("done", "reference", "K-1")
    return ada


FOUND: list[tuple[str, set[str]]] = [
    ("step:charge", {"late", "doubt", "failed"}),
    ("step:charge_card", {"late", "doubt", "failed"}),
    ('step:"Charge the card"', {"late", "doubt", "failed"}),
    ("step:Stage-7", {"elsewhere"}),
    ("step:ch", set()),
    ("step:ch*", {"late", "doubt", "failed"}),
    ("vendor:cardline", {"late", "doubt", "failed"}),
    ("vendor:cardline state:slow", {"late"}),
    ("build:2026.09.4", {"moving", "late", "elsewhere"}),
    ("build:2026*", {"moving", "late", "elsewhere"}),
    ("build:2026", set()),
    ("worker:WORKER-17", {"moving", "late", "elsewhere"}),
    ("worker:worker-1", set()),
    ("order:po-2026-004*", {"moving", "late", "queued", "failed", "seen", "done"}),
    ("order:PO-2026-0043", {"queued"}),
    ('order:"100%_\\\\"', {"doubt"}),
    ("order:100%*", {"doubt"}),
    ("order:%", set()),
    ("run:done", {"done"}),
    ("run:DONE", set()),
    ("buyer:müller*", {"moving", "done"}),
    ('buyer:"Müller  Maschinenbau"', {"moving"}),
    ('buyer:"a \\"b\\" \\\\ c"', {"doubt"}),
    ("buyer:müller* reference:k-1", {"done"}),
    ("buyer:müller* reference:k-2", set()),
    ("buyer:müller* state:done", {"done"}),
    ("stuck:>1h", {"asleep", "doubt"}),
    ("stuck:<2m", {"moving", "queued", "failed", "elsewhere"}),
    ("changed:<2m stuck:>30s", {"queued", "failed"}),
    ("changed:<1h state:done", {"done"}),
    ("changed:>1d state:finished", {"cancelled"}),
    ("due:<0m", {"late", "doubt"}),
    ("due:<5m state:queued", {"queued"}),
    ("due:>4m", {"moving"}),
    ("state:attention", {"late", "doubt", "failed"}),
    ("state:failed_seen", {"seen"}),
    ("state:finished", {"done", "cancelled", "seen"}),
    ("state:other", {"odd"}),
    ("state:in_doubt,slow", {"doubt", "late"}),
    ("state:open", {"moving", "late", "queued", "asleep", "doubt", "elsewhere"}),
    ("state:mending,failed", {"queued", "failed"}),
]  # fmt: skip


def test_it_finds_what_it_says_and_memory_agrees_with_the_database(orders: Client) -> None:
    reads = Orders(connection)
    known = Known.of(reads.plans, frozenset({"support"}))
    every = reads.page().lines
    assert len(every) == 11
    for text, expected in FOUND:
        filter = understood(text, known)
        assert filter.problems == (), text
        assert {line.run_id for line in reads.page(filter.wanted).lines} == expected, text
        assert {line.run_id for line in every if filter.wanted.holds(line, reads.plans)} == expected, text


def test_many_of_a_name_are_walked_to_and_few_are_gathered_with_one_answer(
    orders: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from runs.watching import orders as listing

    reads = Orders(connection)
    known = Known.of(reads.plans, frozenset({"support"}))
    for text, expected in FOUND:
        for few in (0, 1, 5000):
            monkeypatch.setattr(listing, "FEW", few)
            found = reads.page(understood(text, known).wanted)
            assert {line.run_id for line in found.lines} == expected, (text, few)


def test_pages_of_a_filter_go_on_by_key(orders: Client) -> None:
    reads = Orders(connection)
    known = Known.of(reads.plans, frozenset({"support"}))
    for text, expected in FOUND:
        seen: list[str] = []
        key = None
        while True:
            page = reads.page(understood(text, known).wanted, key, limit=1)
            seen += [line.run_id for line in page.lines]
            key = page.further
            if key is None:
                break
        assert len(seen) == len(expected), text
        assert set(seen) == expected, text


def test_a_label_that_is_closed_to_a_role_neither_filters_nor_finds(orders: Client) -> None:
    scene.publish(labels=[*BUYER, {"name": "salary", "path": "input.salary", "roles": ["manager"]}])
    scene.label("moving", "salary", "ninety thousand")
    page = orders.get("/orders/", {"f": "salary:ninety*"}).content.decode()
    assert "your role may not look at salary" in page
    assert "No order matches" in orders.get("/orders/", {"q": "ninety"}).content.decode()


def test_a_filter_narrows_what_is_shown_and_its_problems_stand_under_the_box(orders: Client) -> None:
    page = orders.get("/orders/", {"f": "step:charge", "state": "in_doubt"})
    assert [line.run_id for line in page.context["lines"]] == ["doubt"]
    assert 'value="step:charge"' in page.content.decode()
    page = orders.get("/orders/", {"f": "colour:red"})
    text = page.content.decode()
    assert page.context["lines"] == []
    assert "The filter was not understood" in text
    assert re.search(r'id="filter-problems".*colour:red.*expected one of state, step', text, re.DOTALL)
    assert 'aria-describedby="filter-problems"' in text


def test_an_empty_list_names_the_word_that_hides_the_rest(orders: Client) -> None:
    page = orders.get("/orders/", {"f": "step:charge worker:nobody"})
    hidden = {(part.part, part.orders) for part in page.context["list"].hidden_by}
    assert hidden == {("worker:nobody", 3)}
    taken_away = orders.get(page.context["list"].hidden_by[0].url)
    assert len(taken_away.context["lines"]) == 3


def test_an_empty_list_names_the_state_that_hides_the_rest(orders: Client) -> None:
    page = orders.get("/orders/", {"f": "buyer:müller*", "state": "in_doubt"})
    assert {part.part for part in page.context["list"].hidden_by} == {"in doubt", "buyer:müller*"}
