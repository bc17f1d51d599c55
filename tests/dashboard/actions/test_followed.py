"""Accepted is not effective: requested, queued, claimed, committed; without a worker, or without a queue, it is said."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from kombu import pools

from dashboard import celery_app
from runs import db
from runs.models import RunState, RunWorker
from runs.queries import Runs
from runs.watching.deeds.requested import Requested
from tests.dashboard import scene
from tests.support.forms import pushed, words

NOBODY = "redis://127.0.0.1:1/0"


def asked(run_id: str = "a") -> Requested:
    page = Runs(connection).page(run_id)
    assert page is not None and page.requested is not None
    return page.requested


def by_a_worker(verb: str, cursor: dict[str, object], **more: object) -> None:
    """What a worker writes next. A test is one transaction, in which the person's words would last."""
    columns = ", ".join(f"{name} = %({name})s" for name in more)
    with connection.cursor() as writer:
        writer.execute(
            "SELECT set_config('leaseboard.by', %s, true)", [db.by(verb, "test", reason="no such card")]
        )
        writer.execute(
            f"UPDATE run_state SET cursor = %(cursor)s{', ' + columns if columns else ''}",
            {"cursor": json.dumps({"attempt": 1, "item": None} | cursor), **more},
        )
        writer.execute("SELECT set_config('leaseboard.by', '', true)")


def test_c23_without_a_worker_it_is_queued_and_not_done_and_green_only_after_a_commit(
    ada: Client, broker_url: str
) -> None:
    RunWorker.objects.all().delete()
    scene.order("a", ref="PO-1", status="failed", step="charge_card")
    pushed(ada, "/run/retry-failed/", "a")
    said = words(ada.get("/run/?run=a"))
    assert "Requested by ada" in said and "Queued not picked up yet (0 workers alive)" in said
    assert not asked().is_effective
    by_a_worker("claim", {"step": "charge_card", "status": "pending"}, epoch=2, lease_owner="w9#1")
    assert [(mark.word, mark.state) for mark in asked().marks][2:] == [
        ("Claimed", "done"),
        ("Committed", "here"),
    ]
    by_a_worker(
        "fail", {"step": "charge_card", "status": "failed", "reason": "no such card"}, lease_owner=None
    )
    assert (asked().marks[-1].word, asked().marks[-1].state, asked().is_effective) == (
        "Failed again",
        "failed",
        False,
    )
    assert "no such card" in words(ada.get("/run/?run=a"))


def test_a_hold_on_a_good_lease_waits_for_its_boundary_and_then_stands(ada: Client) -> None:
    scene.order("a", ref="PO-1", status="started", step="credit_check", lease=25, attempt=1, guard="pure")
    pushed(ada, "/run/hold/", "a")
    assert [(mark.word, mark.state) for mark in asked().marks] == [
        ("Requested", "done"), ("At the boundary", "here"), ("On hold", "ahead"),
    ]  # fmt: skip
    assert "once “Check credit” is recorded" in words(ada.get("/run/?run=a"))
    by_a_worker("commit_step", {"step": "charge_card", "status": "held"}, lease_owner=None)
    assert [(mark.word, mark.state) for mark in asked().marks] == [("Requested", "done"), ("On hold", "done")]


def test_a_hold_at_once_and_a_lift_of_what_is_only_asked_for(ada: Client, broker_url: str) -> None:
    scene.order("a", ref="PO-1", status="pending")
    pushed(ada, "/run/hold/", "a")
    assert asked().marks[-1].text == "at once" and asked().is_effective
    scene.order("b", ref="PO-2", status="started", lease=25, attempt=1, guard="pure")
    pushed(ada, "/run/hold/", "b")
    pushed(ada, "/run/lift/", "b")
    assert [mark.word for mark in asked("b").marks] == ["Requested", "Committed"]


@pytest.fixture
def broker_down(broker_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody listens where the queue should be. The app's connections of earlier tests are put aside meanwhile."""
    monkeypatch.setenv("CELERY_BROKER_URL", NOBODY)
    celery_app.conf.broker_url = NOBODY
    forget_connections()
    yield
    celery_app.conf.broker_url = broker_url
    monkeypatch.undo()
    forget_connections()


def forget_connections() -> None:
    pools.reset()
    celery_app._pool = None
    celery_app.amqp._producer_pool = None


def test_c34_with_the_queue_down_it_is_saved_and_the_page_says_so(ada: Client, broker_down: None) -> None:
    scene.order("a", ref="PO-1", status="failed")
    answer = pushed(ada, "/run/retry-failed/", "a")
    assert (answer.status_code, RunState.objects.get(pk="a").status) == (303, "pending")
    assert "Saved. The queue is down" in ada.get(answer["Location"]).content.decode()
