"""A run's page: one sentence that says it all, the steps, the lease, the log."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from runs.queries import Runs, to_the_buyer, told
from tests.dashboard import past, scene


@pytest.fixture
def page(ada: Client) -> Client:
    scene.publish(within_seconds=300)
    scene.worker()
    return ada


def sentence(run_id: str) -> str:
    found = Runs(connection).page(run_id)
    assert found is not None
    said = told(found)
    return " ".join(filter(None, (said.where, said.what, said.rest, said.turn)))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"status": "started", "lease": 20, "attempt": 1, "step": "credit_check"},
         "Step 3 of 5, checking credit waiting for Creditline since Nothing for you to do."),
        ({"status": "started", "lease": 20, "attempt": 2, "step": "credit_check"},
         "Step 3 of 5, checking credit waiting for Creditline since second attempt Nothing for you to do."),
        ({"status": "pending"},
         "Step 1 of 5, parsing the request ready, and waiting for a free worker since Nothing for you to do."),
        ({"status": "pending", "attempt": 2, "wake": 60},
         "Step 1 of 5, parsing the request the next attempt begins at after 2 attempts Nothing for you to do."),
        ({"status": "waiting", "signal": "approve", "may": "manager"},
         "Step 1 of 5, parsing the request waiting for approve since Nothing for you to do."),
        ({"status": "in_doubt", "step": "charge_card"},
         "Step 4 of 5, charging the card in doubt since Finance must find out at Cardline whether it happened."),
        ({"status": "held"}, "Step 1 of 5, parsing the request on hold since It goes on when the hold is lifted."),
        ({"status": "blocked"}, "Step 1 of 5, parsing the request held until someone looks, since Someone must look at it."),
        ({"status": "started", "lease": -60},
         "Step 1 of 5, parsing the request its worker has been silent past its lease, which lapsed at It should have been "
         "taken over by now: ask operations whether any worker may claim."),
        ({"status": "done", "step": "notify_buyer"}, "All 5 steps are finished finished at Nothing for you to do."),
        ({"status": "paused_by_v3"},
         "Step 1 of 5, parsing the request unknown: paused_by_v3 since Its status is one that this version does not know, "
         "so nothing here will act on it."),
        ({"status": "started", "lease": 20, "step": "gone"},
         "At step “gone”, which no published workflow knows at work since Nothing for you to do."),
    ],
)  # fmt: skip
def test_the_sentence_on_top(page: Client, row: dict[str, Any], said: str) -> None:
    scene.order("a", **row)
    assert sentence("a") == said
    assert page.get("/run/?run=a").status_code == 200


def test_a_workflow_that_nobody_published_is_drawn_from_its_row(page: Client) -> None:
    scene.order("a", workflow="refund_v1", step="refund", status="started", lease=20)
    assert "of a workflow that nobody has published" in sentence("a")
    assert "Refund" in page.get("/run/?run=a").content.decode()


def test_what_to_tell_the_buyer(page: Client) -> None:
    scene.order("a", status="started", lease=20, step="credit_check")
    found = Runs(connection).page("a")
    assert found is not None
    assert to_the_buyer(found) == "We are checking credit."
    assert "We are checking credit." in page.get("/run/?run=a").content.decode()


def test_the_lease_card_keeps_the_age_of_the_lease_and_of_progress_apart(page: Client) -> None:
    scene.order("a", status="started", lease=18, attempt=1)
    scene.age("a", 90)
    shown = page.get("/run/?run=a").content.decode()
    for text in ("worker-17#a1b2c3d4", "build 2026.09.4", "epoch 7", "17 s", "of 30 s", "Last renewal", "12 s", "90 s",
                 "asked again, perhaps paid twice" if "repeat_ok" in shown else "Last progress"):  # fmt: skip
        assert text in shown
    line = page.get("/run/?run=a").context["line"]
    assert 11 <= (line.now - line.renewed_at).total_seconds() <= 13
    assert (line.now - line.updated_at).total_seconds() >= 90


def test_a_run_that_nobody_holds_says_so(page: Client) -> None:
    scene.order("a", status="pending")
    assert "No worker holds it now." in page.get("/run/?run=a").content.decode()


def test_the_stepper_shows_items_and_durations(page: Client) -> None:
    scene.order("a", status="started", lease=20, attempt=1)
    scene.commit("a", "parse_request", "quote", items_done=92, items_total=240)
    stages = page.get("/run/?run=a").context["page"].stages
    assert [stage.state for stage in stages] == ["done", "current", "open", "open", "open"]
    assert stages[0].seconds is not None and 0 <= stages[0].seconds < 5
    assert (stages[1].items_done, stages[1].items_total) == (92, 240)
    assert "item 92 of 240" in page.get("/run/?run=a").content.decode()


def test_a_loop_tells_its_rate_and_the_time_left(page: Client) -> None:
    looping = past.begun("quote", items_done=20, items_total=240)
    moves = [
        {"ago": 101, "kind": "taken_over", "epoch": 2, "owner_before": past.OLD, "owner_after": past.NEW, "lapsed": 105,
         "lease_event": "taken_over"},
        {"ago": 100, "kind": "step_started", "epoch": 2, "owner_before": past.NEW, "owner_after": past.NEW, "attempt": 2,
         "began_step": "quote", "to": looping},
    ]  # fmt: skip
    past.run(
        "a", moves, owner=past.NEW, lease=20, epoch=2, attempt=2, step="quote", items_done=70, items_total=240
    )
    stage = page.get("/run/?run=a").context["page"].current
    # What was done before this attempt began is no work of it: 50 items in 100 seconds.
    assert stage.rate == pytest.approx(0.5, rel=0.05)
    assert stage.seconds_left == pytest.approx(340, rel=0.05)
    shown = page.get("/run/?run=a").content.decode()
    assert "a minute, 5 min left" in shown
    assert "item 70 of 240" in shown


def test_the_first_items_tell_no_rate(page: Client) -> None:
    moves = [{"ago": 100, "kind": "claimed", "epoch": 1, "owner_after": past.NEW, "lease_event": "claimed"}]
    past.run("a", moves, owner=past.NEW, lease=20, step="quote", items_done=1, items_total=240)
    assert page.get("/run/?run=a").context["page"].current.rate is None


def test_the_sentence_names_who_fell_silent(page: Client) -> None:
    past.taken_over("a")
    assert "second attempt after worker-17 went silent" in sentence("a")


def test_c08_a_log_of_fifty_thousand_rows_is_read_by_the_page(page: Client) -> None:
    scene.order("a", status="started", lease=20, attempt=1)
    with connection.cursor() as db:
        db.execute("""INSERT INTO run_transition
            (run_id, kind, epoch, generation, owner_before, owner_after, began_step, completed_step)
            SELECT 'a', 'step_completed', 7, 0, 'w#1', 'w#1', 'quote', 'parse_request' FROM generate_series(1, 50000)""")
        db.execute("ANALYZE run_transition")
    with CaptureQueriesContext(connection) as queries:
        answer = page.get("/run/?run=a")
    assert len(answer.content) < 300_000
    with connection.cursor() as db:
        for query in queries:
            if "run_transition" in query["sql"] and "run_id = 'a'" in query["sql"]:
                db.execute("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + query["sql"])
                # Not one of them walks the whole log of the run.
                assert max(rows_read(db.fetchone()[0][0]["Plan"])) <= 2 * 2_000


def rows_read(plan: dict[str, Any]) -> list[float]:
    return [plan["Actual Rows"], *(n for part in plan.get("Plans", []) for n in rows_read(part))]


def test_the_log_is_paged_and_each_row_has_a_permalink(page: Client) -> None:
    scene.order("a", status="started", lease=20, attempt=1)
    for n in range(70):
        scene.commit("a", f"parse {n}", "quote", turn=n)
    first = page.get("/run/?run=a").context["log"]
    older = page.get(f"/run/log/?run=a&entry={first.older}").context["log"]
    oldest = page.get(f"/run/log/?run=a&entry={older.older}").context["log"]
    ids = [entry.id for log in (first, older, oldest) for entry in log.entries]
    assert len(ids) == len(set(ids)) == 71
    assert ids == sorted(ids, reverse=True)
    linked = page.get(f"/run/?run=a&entry={older.entries[0].id}").content.decode()
    assert f'id="t-{older.entries[0].id}" class="entry here"' in linked
    assert f'id="t-{first.entries[0].id}"' not in linked


@pytest.mark.parametrize("entry", ["", "x", "-1", "99999999999999999999", "٣"])
def test_an_entry_that_no_page_linked_is_no_error(page: Client, entry: str) -> None:
    scene.order("a")
    assert page.get("/run/", {"run": "a", "entry": entry}).status_code == 200


@pytest.mark.parametrize("run_id", ["", "none", "a\0b"])
def test_a_run_that_is_not_there_is_not_found(page: Client, run_id: str) -> None:
    assert page.get("/run/", {"run": run_id}).status_code == 404


def test_a_page_costs_the_same_whatever_its_length(page: Client) -> None:
    def asked(run_id: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            page.get("/run/", {"run": run_id})
        return len(queries)

    scene.order("short")
    asked("short")
    scene.order("long", status="started", lease=20)
    for n in range(40):
        scene.commit("long", f"parse {n}", "quote", turn=n)
    assert asked("short") == asked("long") <= 24


def test_a_huge_row_stays_a_small_page(page: Client) -> None:
    scene.order("huge", status="started", lease=20)
    with connection.cursor() as db:
        db.execute(
            """UPDATE run_state SET completed = jsonb_build_object('a', repeat('x', 12000000)),
               cursor = cursor || jsonb_build_object('item', repeat('y', 100000), 'reason', repeat('z', 100000))"""
        )
    assert len(page.get("/run/?run=huge").content) < 300_000
    assert len(page.get("/orders/?state=all").content) < 300_000


def test_every_kind_of_log_row_has_a_sentence(page: Client) -> None:
    from runs.states import Kind

    scene.order("a", status="started", lease=20)
    with connection.cursor() as db:
        for kind in [*Kind, "something_new"]:
            db.execute(
                "INSERT INTO run_transition (run_id, kind, epoch, generation) VALUES ('a', %s, 1, 0)",
                [str(kind)],
            )
    texts = [entry.text for entry in Runs(connection).page("a").log.entries]  # type: ignore[union-attr]
    assert len(texts) == 30
    assert all(texts)
    assert page.get("/run/?run=a").status_code == 200
