"""Sending a run back to a step its log knows: each call that will be bought again is named, with its amount."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client

from runs.models import RunAudit, RunState
from tests.dashboard import scene
from tests.support.forms import opened, words

MONEY = {"amount": "412.00", "currency": "EUR"}
TYPED = {"reason": "Wrong card.", "last": "260041"}


@pytest.fixture(autouse=True)
def bought(published: None, broker_url: str) -> None:
    """It checked credit, charged the card, and stands on hold before the buyer is told."""
    scene.order("a", ref="PO-2026-0041", status="started", step="credit_check", lease=25, attempt=1)
    scene.commit("a", "credit_check", "charge_card", guard="unprotected", amount=MONEY)
    scene.commit("a", "charge_card", "notify_buyer", guard="keyed")
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE run_state SET lease_owner = NULL, lease_expires_at = NULL, epoch = epoch + 1,
               cursor = '{"step": "notify_buyer", "status": "held", "attempt": 0, "item": null}'"""
        )


def test_each_step_it_came_to_is_offered_with_what_it_would_buy_again(olga: Client) -> None:
    answer = olga.get("/run/rewind/?run=a")
    said = words(answer)
    assert [stage.step.name for stage, _ in answer.context["choices"]] == [
        "notify_buyer", "charge_card", "credit_check", "quote", "parse_request",
    ]  # fmt: skip
    assert "Cardline · Charge the card" in said and "€412.00" in said


def test_the_form_names_calls_and_amounts_and_wants_the_order_and_a_reason(olga: Client) -> None:
    said = words(olga.get("/run/rewind/?run=a&step=charge_card"))
    for part in ("These calls are made and paid again", "€412.00", "It stands before “Charge the card”",
                 "New keys: no vendor can tell these calls from first ones.",
                 "The results of 2 steps leave the run"):  # fmt: skip
        assert part in said
    form = opened(olga, "/run/rewind/", "a", step="charge_card")
    assert olga.post("/run/rewind/", form).status_code == 422
    assert olga.post("/run/rewind/", form | {"reason": "Wrong card.", "last": "000000"}).status_code == 422


def test_it_goes_back_with_a_new_generation_and_without_the_later_results(olga: Client) -> None:
    before = RunState.objects.get(pk="a")
    form = opened(olga, "/run/rewind/", "a", step="charge_card")
    assert olga.post("/run/rewind/", form | TYPED).status_code == 303
    now = RunState.objects.get(pk="a")
    assert (now.step, now.status, now.generation) == ("charge_card", "pending", before.generation + 1)
    assert "charge_card" not in now.completed and "credit_check" in now.completed
    deed = RunAudit.objects.get()
    assert (deed.deed, deed.told, deed.outcome, deed.reason) == (
        "rewind",
        "charge_card",
        "done",
        "Wrong card.",
    )
    assert olga.post("/run/rewind/", form | TYPED).status_code == 409


@pytest.mark.parametrize("step", ["", "no_such_step"])
def test_a_step_that_it_never_came_to_is_no_place_to_go_back_to(olga: Client, step: str) -> None:
    form = opened(olga, "/run/rewind/", "a", step="charge_card")
    before = RunState.objects.get(pk="a")
    assert olga.post("/run/rewind/", form | TYPED | {"step": step}).status_code == 400
    now = RunState.objects.get(pk="a")
    assert (now.step, now.completed) == (before.step, before.completed)


def test_support_rewinds_nothing(ada: Client) -> None:
    assert ada.get("/run/rewind/?run=a").status_code == 403


def test_what_a_worker_holds_is_not_rewound(olga: Client) -> None:
    scene.order("b", status="pending", lease=20)
    answer = olga.get("/run/rewind/?run=b")
    assert answer.status_code == 409 and "A worker holds it: hold it or take it over first." in words(answer)
