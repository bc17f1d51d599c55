"""Who held a run, and when: lanes by epoch, four marks that differ, an axis of round numbers, a table that says the same."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from dashboard.templatetags.timeline import drawn
from runs.queries import History, Runs, history_rows
from runs.watching.history.axis import axis
from tests.dashboard import past, scene
from tests.dashboard.past import NEW, OLD

T0 = datetime(2026, 12, 1, 14, 1, tzinfo=UTC)


@pytest.fixture
def page(ada: Client) -> Client:
    scene.publish()
    for owner in (OLD, NEW):
        scene.worker(owner)
    return ada


def history(run_id: str) -> History:
    found = Runs(connection).page(run_id)
    assert found is not None
    return found.history


def text(client: Client, url: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", client.get(url).content.decode()))


def test_each_epoch_is_a_lane_with_its_attempts(page: Client) -> None:
    past.taken_over()
    old, new = history("taken").lanes
    assert [(lane.epoch, lane.owner) for lane in (old, new)] == [(4, OLD), (5, NEW)]
    assert [(bar.step.name, bar.outcome) for bar in old.bars] == [
        ("parse_request", "recorded"), ("quote", "recorded"), ("credit_check", "taken over"),
    ]  # fmt: skip
    assert [(bar.step.name, bar.attempt, bar.end) for bar in new.bars] == [("credit_check", 2, None)]


def test_silence_runs_from_the_last_renewal_to_the_lapse_and_the_lapse_to_the_takeover(page: Client) -> None:
    past.taken_over()
    told = history("taken")
    (silence,) = told.lanes[0].silences
    assert silence.lapsed_at - silence.since == timedelta(seconds=30)
    assert silence.until is not None
    assert 3.5 < (silence.until - silence.lapsed_at).total_seconds() < 4.5
    assert [t.at for t in told.held.takeovers] == [silence.until]
    assert told.lanes[0].bars[-1].cut_at == silence.since


def test_a_late_report_is_a_tick_on_the_lane_of_its_own_epoch(page: Client) -> None:
    past.taken_over()
    old, new = history("taken").lanes
    assert [(report.step.name, report.is_refused) for report in old.reports] == [("credit_check", True)]
    assert new.reports == []


def test_the_picture_has_four_marks_and_a_line_for_the_present(page: Client) -> None:
    past.taken_over()
    shown = page.get("/run/?run=taken").content.decode()
    for mark in ("silence", "lapse", "takeover", "refused", "now"):
        assert f'class="{mark}"' in shown
    picture = drawn(history("taken"))
    assert picture is not None
    old = picture.lanes[0]
    (silence,), bar = old.silences, old.bars[-1]
    assert bar.x < silence.x < silence.lapse_x < silence.end_x <= 100
    assert bar.solid == pytest.approx(silence.x - bar.x, abs=0.02)
    # The hollow part of the attempt ends where its report was refused.
    assert bar.x + bar.width == pytest.approx(old.refused[0].x, abs=0.02)
    assert old.taken is not None
    assert old.taken.x == pytest.approx(picture.lanes[1].bars[0].x, abs=1)


def test_the_page_tells_the_incident_in_words(page: Client) -> None:
    past.taken_over()
    shown = text(page, "/run/?run=taken")
    for words in (
        "worker-17 went silent after", "in “Check credit”; its lease lapsed at", "and worker-23 took over at",
        "worker-17 came back at", "tried to record “Check credit”: refused , nothing was changed",
        "“Check credit” was begun again: bought twice as soon as it answers, €0.40 each",
    ):  # fmt: skip
        assert words in shown


def test_the_table_says_what_the_picture_shows(page: Client) -> None:
    past.taken_over()
    assert [(row.epoch, row.who, row.what) for row in history_rows(history("taken"))] == [
        (4, "worker-17", "Came back with its result of “Check credit”: refused, nothing was changed"),
        (5, "worker-23", "Check credit, attempt 2: under way"),
        (5, "worker-23", "Took it over"),
        (4, "worker-17", "Its lease had lapsed"),
        (4, "worker-17", "Silent: its lease was not renewed"),
        (4, "worker-17", "Check credit: taken over"),
        (4, "worker-17", "Build the quote: recorded"),
        (4, "worker-17", "Parse the request: recorded"),
    ]
    assert "As a table" in text(page, "/run/?run=taken")


def test_processes_of_one_host_are_told_apart(page: Client) -> None:
    past.run("a", [
        {"ago": 50, "kind": "claimed", "epoch": 1, "owner_after": "vm#aaaa11", "lease_event": "claimed"},
        {"ago": 10, "kind": "taken_over", "epoch": 2, "owner_before": "vm#aaaa11", "owner_after": "vm#bbbb22", "lapsed": 15,
         "lease_event": "taken_over"},
    ], owner="vm#bbbb22", lease=20, epoch=2)  # fmt: skip
    shown = text(page, "/run/?run=a")
    assert "vm #bbbb claimed it from vm #aaaa" in shown
    assert "vm #aaaa went silent" in shown


def test_a_lapse_that_nobody_has_taken_yet_runs_to_the_present(page: Client) -> None:
    past.run("a", [
        {"ago": 60, "kind": "claimed", "epoch": 1, "owner_after": OLD, "lease_event": "claimed"},
        {"ago": 59, "kind": "step_started", "epoch": 1, "owner_before": OLD, "owner_after": OLD, "began_step": "credit_check",
         "attempt": 1, "to": past.begun("credit_check")},
    ], owner=OLD, lease=-8)  # fmt: skip
    (lane,) = history("a").lanes
    assert lane.silences[0].until is None
    assert lane.bars[0].cut_at == lane.silences[0].since
    assert "nobody has taken it over yet" in text(page, "/run/?run=a")


def test_a_result_that_landed_late_is_no_refusal(page: Client) -> None:
    charge = past.begun("charge_card", "unprotected", "412.00")
    doubt = {**charge, "status": "in_doubt"}
    past.run("a", [
        {"ago": 60, "kind": "claimed", "epoch": 1, "owner_after": OLD, "lease_event": "claimed"},
        {"ago": 58, "kind": "step_started", "epoch": 1, "owner_before": OLD, "owner_after": OLD, "attempt": 1,
         "began_step": "charge_card", "to": charge},
        {"ago": 24, "kind": "in_doubt", "epoch": 1, "owner_before": OLD, "lapsed": 28, "lease_event": "released", "was": charge,
         "to": doubt},
        {"ago": 18, "kind": "landed_late", "epoch": 1, "completed_step": "charge_card", "was": doubt,
         "to": {"step": "notify_buyer", "status": "pending"}},
    ], status="pending", step="notify_buyer")  # fmt: skip
    (lane,) = history("a").lanes
    assert lane.bars[0].outcome == "landed late"
    shown = text(page, "/run/?run=a")
    assert "the run was held in doubt" in shown
    assert "with its result, which was still taken" in shown
    assert "recorded late" in shown


def test_a_person_who_took_it_is_named(page: Client) -> None:
    past.run("a", [
        {"ago": 60, "kind": "claimed", "epoch": 1, "owner_after": OLD, "lease_event": "claimed"},
        {"ago": 20, "kind": "taken_over", "epoch": 2, "owner_before": OLD, "actor": "ada", "lease_event": "released"},
    ], status="pending", epoch=2)  # fmt: skip
    assert "ada took the run from worker-17 at" in text(page, "/run/?run=a")


def test_a_deploy_that_bound_its_worker_is_drawn(page: Client) -> None:
    past.taken_over()
    with connection.cursor() as db:
        db.execute("""INSERT INTO run_drain (build, actor, marked_at) SELECT b, 'SIGTERM', clock_timestamp() - interval '60 s'
                      FROM unnest('{2026.09.4,other}'::text[]) AS b RETURNING id""")
        ours, _ = (row[0] for row in db.fetchall())
        db.execute("INSERT INTO run_drain_bound (drain_id, owner) VALUES (%s, %s)", [ours, OLD])
    assert [deploy.build for deploy in history("taken").deploys] == ["2026.09.4"]
    assert 'class="deploy"' in page.get("/run/?run=taken").content.decode()


def test_of_a_long_past_the_newest_is_drawn_and_the_page_says_so(page: Client) -> None:
    moves = [
        {"ago": 4000 - n * 10, "kind": "taken_over", "epoch": n, "owner_before": OLD, "owner_after": NEW, "lapsed": 4003 - n * 10,
         "lease_event": "taken_over"}
        for n in range(1, 350)
    ]  # fmt: skip
    past.run("a", moves, owner=NEW, lease=20, epoch=349)
    answer = page.get("/run/?run=a")
    told = answer.context["page"].history
    assert told.is_cut
    assert len(told.lanes) == 6
    shown = text(page, "/run/?run=a")
    assert (
        "294 earlier epochs are not drawn. Only the newest 300 rows of the log were read for this." in shown
    )
    assert len(answer.content) < 300_000


def test_a_run_that_nobody_held_has_no_picture(page: Client) -> None:
    scene.order("a")
    assert "No worker has held it yet." in text(page, "/run/?run=a")


def moments(*seconds: float) -> list[datetime]:
    return [T0 + timedelta(seconds=s) for s in seconds]


@pytest.mark.parametrize(
    ("seconds", "ticks"),
    [
        (9, ["14:01:02", ":04", ":06", ":08"]),
        (132, ["14:01:20", ":40", "14:02:00", ":20", ":40", "14:03:00"]),
        (1800, ["14:05", "14:10", "14:15", "14:20", "14:25", "14:30"]),
        (90_000, ["18:00", "2 Dec 00:00", "06:00", "12:00"]),
    ],
)
def test_the_axis_stands_at_round_times(seconds: float, ticks: list[str]) -> None:
    start, end = moments(0, seconds)
    with timezone.override(UTC):
        found = [tick.text for tick in axis([(start, end)], end).ticks()]
    assert found == ticks


def test_the_axis_is_round_in_the_viewers_zone() -> None:
    start, end = moments(0, 4 * 3600)
    with timezone.override(ZoneInfo("Asia/Kolkata")):
        found = [tick.text for tick in axis([(start, end)], end).ticks()]
    assert found == ["20:00", "21:00", "22:00", "23:00"]


def test_a_spell_in_which_nobody_held_it_is_drawn_short() -> None:
    a, b, c, d = moments(0, 40, 40 + 3 * 86_400, 80 + 3 * 86_400)
    found = axis([(a, b), (c, d)], d)
    assert [piece.is_gap for piece in found.pieces] == [False, True, False]
    assert found.x(b) > 40
    assert found.x(c) - found.x(b) == pytest.approx(7)
    assert found.x(d) == pytest.approx(100)


spans = st.lists(st.tuples(st.integers(0, 400_000), st.integers(0, 5000)), min_size=1, max_size=12)


@given(spans)
def test_an_axis_never_runs_backwards_nor_out_of_the_picture(given: list[tuple[int, int]]) -> None:
    drawn_spans = [(T0 + timedelta(seconds=s), T0 + timedelta(seconds=s + w)) for s, w in given]
    end = max(stop for _, stop in drawn_spans)
    found = axis(drawn_spans, end)
    places = [found.x(moment) for moment in sorted({m for span in drawn_spans for m in span})]
    assert places == sorted(places)
    assert all(-0.001 <= x <= 100.001 for x in places)
    with timezone.override(UTC):
        xs = [tick.x for tick in found.ticks()]
    assert xs == sorted(xs)
    assert len(xs) <= 13


kinds: Any = st.sampled_from(
    ["claimed", "taken_over", "step_started", "step_completed", "retry_scheduled", "in_doubt", "landed_late", "released",
     "failed", "commit_refused", "loss_noticed", "waiting", "woken", "something_new", "edited", "deleted", "started_run",
     "not_sent"]
)  # fmt: skip
rows: Any = st.fixed_dictionaries(
    {
        "kind": kinds, "epoch": st.integers(0, 4), "owner_before": st.sampled_from([None, OLD, NEW]),
        "owner_after": st.sampled_from([None, OLD, NEW]), "completed_step": st.sampled_from([None, "quote", "gone"]),
        "began_step": st.sampled_from([None, "quote", "credit_check"]), "attempt": st.sampled_from([None, 1, 3]),
        "lapsed": st.sampled_from([None, 5, 500]),
    }
)  # fmt: skip


@given(log=st.lists(rows, max_size=12), row_status=st.sampled_from(["started", "pending", "done", "odd"]))
def test_any_log_can_be_drawn(log: list[dict[str, Any]], row_status: str) -> None:
    from runs.watching.history import calls, lanes
    from runs.watching.history.moves import Moves
    from runs.watching.history.reading import History as Told
    from runs.watching.plans import Plan

    moves = [
        {"id": n, "generation": 0, "lease_event": None, "build": None, "actor": None, "ttl_seconds": None, "step_before":
         "quote", "step_after": "quote", "status_after": row_status, "guard": "repeat_ok", "attempt_before": 1, "item": None,
         "amount": None, "currency": "", "items_done": None, **move, "at": T0 + timedelta(seconds=n * 7),
         "lapsed_at": T0 - timedelta(seconds=move["lapsed"]) if move["lapsed"] else None}
        for n, move in enumerate(log)
    ]  # fmt: skip
    row = {"lease": "lapsed", "lease_expires_at": T0, "ttl_seconds": 30.0, "status": row_status}
    plan, found = Plan("x"), Moves(moves, False)
    told = Told(lanes.held(found, plan, row), [], calls.calls(found, [], [], plan, "a"), {}, [], False, False,
                T0 + timedelta(seconds=500))  # fmt: skip
    with timezone.override(UTC):
        picture = drawn(told)
    assert picture is None or all(bar.width >= 0 for lane in picture.lanes for bar in lane.bars)
    assert len(history_rows(told)) <= 60
    assert told.incidents is not None
