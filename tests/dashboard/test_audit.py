"""The audit's page: sentences, filters by person, deed, order and outcome, pages by key; and denials in the book."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from runs import actions
from runs.actions import Actor, NotDone, Shown
from runs.models import RunAudit, RunState
from tests.dashboard import scene

ANA = Actor("ana", "The buyer rang up.", role="ops", via="page")


@pytest.fixture
def olga(db: None) -> Client:
    client = Client()
    client.force_login(scene.person("olga", "ops"))
    scene.publish()
    return client


def seen(run_id: str) -> Shown:
    run = RunState.objects.get(pk=run_id)
    return Shown(run_id, run.epoch, run.cursor)


def text_of(client: Client, **asked: Any) -> str:
    page = client.get("/audit/", asked).content.decode()
    return re.sub(
        r"\s+", " ", re.sub(r"<[^>]+>", " ", page.partition("<tbody>")[2].partition("</tbody>")[0])
    ).strip()


def test_a_deed_is_told_in_sentences(olga: Client) -> None:
    scene.order("a", ref="PO-1")
    actions.hold(seen("a"), ANA)
    told = text_of(olga)
    for part in (
        "ana",
        "ops",
        "Put on hold",
        "“The buyer rang up.”",
        "PO-1",
        "pending → held",
        "epoch 0 → 1",
        "done",
    ):
        assert part in told
    assert "{" not in told


def test_a_refusal_tells_what_was_shown_and_what_stood(olga: Client) -> None:
    scene.order("a", ref="PO-1", status="done", step="notify_buyer")
    with pytest.raises(NotDone):
        actions.take_over(Shown("a", 7, {"step": "charge_card", "status": "started"}), ANA)
    told = text_of(olga)
    for part in (
        "Wanted to take over",
        "“Charge the card” → “Notify the buyer”",
        "started → done",
        "epoch 7 → 0",
        "refused",
    ):
        assert part in told


def test_what_people_wrote_is_redacted(olga: Client) -> None:
    scene.order("a")
    actions.hold(seen("a"), Actor("ana", "card 4111 1111 1111 1111 was read out"))
    assert "4111" not in olga.get("/audit/").content.decode()


@pytest.fixture
def four(olga: Client) -> Client:
    scene.order("a", ref="PO-1")
    scene.order("b", ref="PO-2")
    actions.hold(seen("a"), ANA)
    actions.lift(seen("a"), Actor("ben"))
    actions.hold(seen("b"), Actor("ben"))
    with pytest.raises(NotDone):
        actions.lift(Shown("b", 99, {}), ANA)
    return olga


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ({}, 4),
        ({"who": "ana"}, 2),
        ({"deed": "hold"}, 2),
        ({"run": "a"}, 2),
        ({"run": "PO-2"}, 2),
        ({"outcome": "refused"}, 1),
        ({"who": "ben", "deed": "hold", "run": "b"}, 1),
        ({"who": "nobody"}, 0),
        ({"deed": "; DROP", "outcome": "x", "before": "-1"}, 4),
    ],
)
def test_each_filter_counts(four: Client, asked: dict[str, str], count: int) -> None:
    answer = four.get("/audit/", asked)
    assert len(answer.context["book"].deeds) == count
    if not count:
        assert "Nothing matches" in answer.content.decode()


def test_pages_go_by_key_newest_first(olga: Client) -> None:
    RunAudit.objects.bulk_create(
        RunAudit(actor=f"p{n}", deed="hold", outcome="done", at="2026-01-01T00:00Z") for n in range(120)
    )
    url, names = "/audit/?deed=hold", []
    while url:
        answer = olga.get(url)
        names += [deed.actor for deed in answer.context["book"].deeds]
        url = answer.context["older_url"]
    assert names == [f"p{n}" for n in reversed(range(120))]


def test_a_page_of_the_book_costs_the_same_whatever_stands_on_it(four: Client) -> None:
    with CaptureQueriesContext(
        connection,
    ) as few:
        four.get("/audit/", {"run": "a"})
    with CaptureQueriesContext(connection) as more:
        four.get("/audit/", {"run": "b"})
    assert len(few) == len(more) <= 12


def test_c28_a_denied_page_and_a_denied_push_are_written_and_answer_the_same_for_any_id(
    olga: Client, cy: Client
) -> None:
    scene.order("a", ref="PO-1")
    answers = {run_id: cy.get("/run/", {"run": run_id}) for run_id in ("a", "no-such-run")}
    assert [answer.status_code for answer in answers.values()] == [403, 403]
    assert (
        len(
            {
                answer.content.decode().partition("<main")[2].partition("</main>")[0]
                for answer in answers.values()
            }
        )
        == 1
    )
    rows = list(
        RunAudit.objects.filter(outcome="denied").order_by("id").values_list("actor", "run_id", "told")
    )
    assert rows == [("cy", "a", "GET /run/"), ("cy", "no-such-run", "GET /run/")]
    assert "Wanted to open a page" in text_of(olga, outcome="denied")


def test_who_may_read_it(client: Client, db: None) -> None:
    for role, code in (("support", 403), ("ops", 200), ("manager", 200)):
        client.force_login(scene.person(role, role))
        assert client.get("/audit/").status_code == code
        assert (">Audit</a>" in client.get("/orders/").content.decode()) == (code == 200)
