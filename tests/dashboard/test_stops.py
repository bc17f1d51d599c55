"""What stops work for everybody stands on every page."""

from __future__ import annotations

from django.db import connection
from django.test import Client

from runs.queries import stops
from tests.dashboard import scene


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def test_a_good_day_has_no_banner(ada: Client) -> None:
    scene.worker()
    assert stops(connection) == []
    assert 'class="banner"' not in ada.get("/orders/").content.decode()


def test_an_emergency_hold_is_named_until_it_is_lifted(ada: Client) -> None:
    execute(
        """INSERT INTO run_emergency_hold (workflow, step, vendor, actor, reason)
           VALUES ('', '', 'Cardline', 'ana', 'it answers with errors'), ('refund', 'pay', '', 'ana', 'wrong amounts')"""
    )
    said = [
        "Emergency hold on calls to Cardline, by ana: it answers with errors",
        "Emergency hold on step pay of refund, by ana: wrong amounts",
    ]
    assert stops(connection) == said
    page = ada.get("/orders/").content.decode()
    assert all(sentence in page for sentence in said)
    execute("UPDATE run_emergency_hold SET lifted_at = now()")
    assert stops(connection) == []


def test_workers_that_are_all_bound_by_drains_are_told(ada: Client) -> None:
    scene.worker()
    execute("UPDATE run_worker SET sigterm_at = now()")
    assert stops(connection) == ["Nothing can be claimed: the one live worker is bound by a drain."]
    scene.worker("worker-18#00000000")
    assert stops(connection) == []
    execute(
        "UPDATE run_worker SET last_beat_at = now() - interval '5 min' WHERE owner = 'worker-18#00000000'"
    )
    assert len(stops(connection)) == 1
