"""Taking over: an ordinary button on a lapsed lease, a red one on a good lease, and the proof of the fence after it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from runs import db
from runs.models import RunAudit, RunState
from tests.dashboard import scene
from tests.support.forms import opened, pushed, words

CALL = {"guard": "unprotected", "amount": {"amount": "412.00", "currency": "EUR"}}


def charging(lease: float, **more: Any) -> None:
    """A run whose worker has begun to charge the card, as the log tells it."""
    scene.order("a", ref="PO-1", status="started", step="credit_check", lease=lease, attempt=1)
    scene.commit("a", "credit_check", "charge_card", **(CALL | more))
    with connection.cursor() as cursor:
        sql = "UPDATE run_state SET lease_expires_at = clock_timestamp() + %s * interval '1 s' WHERE run_id = 'a'"
        cursor.execute(sql, [lease])


def test_on_a_good_lease_the_red_face_names_the_call_in_flight_and_its_price(olga: Client) -> None:
    charging(25)
    answer = olga.get("/run/take-over/", {"run": "a"})
    said = words(answer)
    for part in ("worker-17 is alive and at work: its lease is good until", "The call in flight", "Cardline", "€412.00",
                 "In doubt: “Charge the card” may have happened",
                 "Epoch 7 → 8: whatever worker-17 still writes is refused"):  # fmt: skip
        assert part in said
    assert 'class="act grave"' in answer.content.decode()


def test_on_a_good_lease_a_reason_is_demanded(olga: Client, broker_url: str) -> None:
    charging(25)
    assert pushed(olga, "/run/take-over/", "a").status_code == 422
    assert pushed(olga, "/run/take-over/", "a", reason="It hangs.").status_code == 303
    assert RunState.objects.get(pk="a").status == "in_doubt"


def test_c28_support_takes_over_what_lapsed_and_nothing_that_is_held(ada: Client, broker_url: str) -> None:
    charging(25)
    assert ada.get("/run/take-over/", {"run": "a"}).status_code == 403
    scene.order("b", status="started", lease=-5, guard="pure", epoch=7)
    lapsed = opened(ada, "/run/take-over/", "b")
    assert ada.post("/run/take-over/", lapsed | {"face": "good", "reason": "x"}).status_code == 403
    assert ada.post("/run/take-over/", lapsed).status_code == 303
    assert list(RunAudit.objects.order_by("id").values_list("run_id", "outcome")) == [
        ("a", "denied"), ("b", "denied"), ("b", "done"),
    ]  # fmt: skip


def test_a_worker_that_came_back_between_form_and_push_keeps_its_run(ada: Client) -> None:
    scene.order("a", ref="PO-1", status="started", lease=-5, guard="pure")
    form = opened(ada, "/run/take-over/", "a")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE run_state SET lease_expires_at = clock_timestamp() + interval '30 s'")
    answer = ada.post("/run/take-over/", form | {"reason": "x"})
    assert answer.status_code == 409
    assert "its lease is another: good again until" in words(answer)
    assert RunState.objects.get(pk="a").lease_owner == scene.OWNER


@pytest.fixture
def taken(olga: Client, broker_url: str) -> Client:
    scene.order("a", ref="PO-1", status="started", step="credit_check", lease=25, attempt=1, guard="pure")
    pushed(olga, "/run/take-over/", "a", reason="It hangs.")
    return olga


def test_after_it_the_page_says_how_far_it_got(taken: Client) -> None:
    said = words(taken.get("/run/?run=a"))
    for part in ("Requested by olga", "Queued not picked up yet (1 worker alive)", "Claimed", "Committed",
                 "Nothing has come from worker-17 since. Epoch 7 is closed; its lease would have ended at"):  # fmt: skip
        assert part in said


def test_the_old_owners_refused_write_is_the_proof(taken: Client) -> None:
    db.within(
        "report", run_id="a", kind="commit_refused", epoch=7, expected='{"step": "credit_check"}', onward=None,
        owner=scene.OWNER, attempt=1, build="test", reason="", step="credit_check", result=None,
    )  # fmt: skip
    said = words(taken.get("/run/?run=a"))
    assert "The fence held: worker-17 tried to write with epoch 7 and was refused" in said


def test_claimed_and_committed_are_told_and_only_a_commit_is_green(taken: Client) -> None:
    onward = {"step": "credit_check", "status": "started", "attempt": 1, "item": None, "guard": "pure"}
    with connection.cursor() as cursor:
        # All of a test is one transaction, in which a verb's own words would last.
        cursor.execute("SELECT set_config('leaseboard.by', '', true)")
        cursor.execute(
            """UPDATE run_state SET epoch = 9, cursor = %s, lease_owner = 'worker-23#0f',
               lease_expires_at = clock_timestamp() + interval '30 s'""",
            [json.dumps(onward)],
        )
    page = taken.get("/run/?run=a").context["page"]
    assert [(mark.word, mark.state) for mark in page.requested.marks] == [
        ("Requested", "done"), ("Queued", "done"), ("Claimed", "done"), ("Committed", "here"),
    ]  # fmt: skip
    assert not page.requested.is_effective
    assert "by worker-23, epoch 9" in words(taken.get("/run/?run=a"))
    scene.commit("a", "credit_check", "charge_card")
    asked = taken.get("/run/?run=a").context["page"].requested
    assert (asked.is_effective, asked.marks[-1].text) == (True, "“Check credit”")
