"""The buttons on a run's page: what its state allows and what the role may, the likeliest first."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from dashboard.offers import ACTING, offers
from dashboard.roles import ACT_ON_ORDERS, CANCEL_ORDERS
from runs.queries import Runs
from tests.dashboard import scene

SUPPORT = frozenset({ACT_ON_ORDERS, CANCEL_ORDERS})


def titles(run_id: str, rights: frozenset[str]) -> list[str]:
    line = Runs(connection).line(run_id)
    assert line is not None
    found = offers(line, frozenset({"ops"}), rights)
    return [offer.title for offer in found.beside + found.menu]


@pytest.mark.parametrize(
    ("row", "first", "all_of_support"),
    [
        ({"status": "started", "lease": 20.0, "guard": "pure"}, "Hold at next step",
         ["Hold at next step", "Flag in doubt", "Cancel…"]),
        ({"status": "started", "lease": -60.0, "guard": "pure"}, "Take over",
         ["Take over", "Nudge", "Hold at next step", "Flag in doubt", "Cancel…"]),
        ({"status": "pending"}, "Nudge", ["Nudge", "Hold at next step", "Flag in doubt", "Cancel…"]),
        ({"status": "failed"}, "Try again", ["Try again", "Mark seen"]),
        ({"status": "blocked"}, "Try again", ["Try again", "Flag in doubt", "Cancel…"]),
        ({"status": "held"}, "Lift the hold", ["Lift the hold", "Flag in doubt", "Cancel…"]),
        ({"status": "done"}, None, []),
        ({"status": "cancelled"}, None, []),
        ({"status": "in_doubt"}, None, []),
        ({"status": "paused_by_v3"}, None, []),
    ],
)  # fmt: skip
def test_each_state_offers_what_helps_it(
    db: None, row: dict[str, Any], first: str | None, all_of_support: list[str]
) -> None:
    scene.order("a", **row)
    assert titles("a", SUPPORT) == all_of_support
    assert (titles("a", ACTING) or [None])[0] == first
    assert titles("a", frozenset()) == []


def test_ops_may_take_what_is_held_in_red_and_rewind_what_is_not(db: None) -> None:
    scene.order("a", status="started", lease=20.0, guard="pure")
    scene.order("b", status="pending")
    assert "Take over…" in titles("a", ACTING) and "Take over…" not in titles("a", SUPPORT)
    assert "Rewind…" in titles("b", ACTING) and "Rewind…" not in titles("b", SUPPORT)


def test_a_hold_that_is_asked_for_can_be_withdrawn_and_not_asked_again(ada: Client) -> None:
    scene.order("a", status="started", lease=20.0, guard="pure")
    with connection.cursor() as cursor:
        cursor.execute("""UPDATE run_state SET signals = '{"marks": {"hold": {"actor": "ada"}}}'""")
    assert titles("a", SUPPORT)[:2] == ["Lift the hold", "Flag in doubt"]


def test_a_manager_sees_no_button_and_a_status_of_others_says_why_there_is_none(
    mara: Client, ada: Client
) -> None:
    scene.order("a", status="pending")
    assert 'class="button' not in _acts(mara, "a")
    scene.order("b", status="paused_by_v3")
    assert "nothing here acts on it" in _acts(ada, "b")


def test_a_failure_that_is_seen_offers_no_second_mark(ada: Client) -> None:
    scene.order("a", status="failed")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE run_state SET seen_epoch = epoch")
        cursor.execute(
            "INSERT INTO run_seen (run_id, epoch, seen_by) SELECT run_id, epoch, 'ada' FROM run_state"
        )
    assert titles("a", SUPPORT) == ["Try again"]


def test_the_poll_brings_the_buttons_with_the_rest_of_the_page(ada: Client) -> None:
    scene.order("a", status="held")
    answer = ada.get("/run/now/?run=a").content.decode()
    assert 'id="actions" hx-swap-oob="true"' in answer and "Lift the hold" in answer


def _acts(client: Client, run_id: str) -> str:
    page = client.get("/run/", {"run": run_id}).content.decode()
    return page.partition('id="actions"')[2].partition("</div>")[0]
