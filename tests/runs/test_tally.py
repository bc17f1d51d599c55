"""The tally: how many runs have ended, folded from the log and counted anew, always the same number."""

from __future__ import annotations

import json
import threading
import time

import psycopg
import pytest

from runs import db, tally
from tests.support.factories import ask, lapse, seed

ENDS = ("done", "failed", "cancelled")
Counts = dict[str, int]


def told() -> Counts:
    """What the tally says, in all."""
    return _by_status("SELECT status, runs FROM run_tally WHERE since = '-infinity'")


def today() -> Counts:
    return _by_status(
        "SELECT status, sum(runs)::int AS runs FROM run_tally WHERE since > '-infinity' GROUP BY 1"
    )


def rows_say() -> Counts:
    return _by_status("SELECT status, count(*)::int AS runs FROM run_state GROUP BY 1")


def _by_status(text: str) -> Counts:
    found = {row["status"]: row["runs"] for row in ask(text)}
    return {end: found.get(end, 0) for end in ENDS}


def folded(*, read: int = 0) -> Counts:
    """Fold until so many rows were read and the tally says what the rows say: other sessions of this server may
    hold the log back for a moment."""
    end = time.monotonic() + 20
    while (read := read - tally.fold()) > 0 or told() != rows_say():
        assert time.monotonic() < end, (told(), rows_say())
        time.sleep(0.05)
    return told()


def more(before: Counts, **ended: int) -> Counts:
    return {status: runs + ended.get(status, 0) for status, runs in before.items()}


@pytest.fixture(autouse=True)
def before() -> Counts:
    """How many have ended before this test."""
    tally.count_anew()
    return folded()


def set_status(run_id: str, status: str) -> None:
    text = "UPDATE run_state SET cursor = cursor || jsonb_build_object('status', %(s)s::text) WHERE run_id = %(r)s"
    ask(text, s=status, r=run_id)


def test_a_run_that_ends_counts_and_one_that_leaves_its_end_no_longer(before: Counts) -> None:
    of_late = today()
    run_id = seed("pure", status="done", owner=None)
    assert folded() == more(before, done=1)
    assert today() == more(of_late, done=1)
    set_status(run_id, "failed")
    assert folded() == more(before, failed=1)
    ask("DELETE FROM run_state WHERE run_id = %(r)s", r=run_id)
    assert folded() == before
    assert today() == of_late


def test_moves_between_steps_are_read_and_count_nothing(before: Counts) -> None:
    set_status(seed("pure"), "pending")
    assert folded(read=2) == before


def test_what_an_open_transaction_holds_back_is_counted_once_it_is_over(
    record_url: str, before: Counts
) -> None:
    with psycopg.connect(record_url) as slow:
        slow.execute("SELECT pg_current_xact_id()")
        seed("pure", status="done", owner=None)
        tally.fold()
        assert told() == before
        # Counting anew in the middle neither loses the run nor takes it twice.
        tally.count_anew()
        tally.fold()
        assert told() == before
        slow.commit()
    assert folded() == more(before, done=1)


def test_pages_of_the_log_add_up(monkeypatch: pytest.MonkeyPatch, before: Counts) -> None:
    monkeypatch.setattr(tally, "PAGE", 3)
    for _ in range(8):
        seed("pure", status="cancelled", owner=None)
    assert folded(read=8) == more(before, cancelled=8)


def test_folds_at_once_count_each_row_once(before: Counts) -> None:
    for _ in range(20):
        seed("pure", status="done", owner=None)
    threads = [threading.Thread(target=tally.fold) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert folded() == more(before, done=20)


def test_a_fold_leaves_the_work_to_the_one_that_is_under_way(record_url: str, before: Counts) -> None:
    with psycopg.connect(record_url) as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtext('run_tally'))")
        seed("pure", status="done", owner=None)
        for _ in range(20):
            assert tally.fold() == 0
            tally.count_anew()
            time.sleep(0.05)
        assert told() == before
    assert folded() == more(before, done=1)


def test_what_the_log_does_not_tell_is_found_by_the_daily_count(record_url: str, before: Counts) -> None:
    run_id = seed("pure", owner=None)
    text = (
        "UPDATE run_state SET status = 'done', cursor = cursor || '{\"status\": \"done\"}' WHERE run_id = %s"
    )
    with psycopg.connect(record_url) as hand:
        hand.execute("SET session_replication_role = replica")
        hand.execute(text, [run_id])
    tally.fold()
    assert told() == before
    ask("""UPDATE run_pulse SET detail = detail || jsonb_build_object('counted', (detail->>'counted')::float8 - 90000)
           WHERE name = 'tally'""")
    assert folded() == more(before, done=1)


def test_a_young_count_is_not_repeated() -> None:
    ask("UPDATE run_tally SET runs = runs + 5 WHERE status = 'done' AND since = '-infinity'")
    wrong = told()
    tally.count_anew(tally.ANEW_SECONDS)
    assert told() == wrong


def test_only_quarter_hours_of_late_are_kept() -> None:
    ask("INSERT INTO run_tally VALUES ('done', '2020-01-01', 7)")
    tally.fold()
    assert ask("SELECT 1 FROM run_tally WHERE since = '2020-01-01'") == []


def test_an_unseen_failure_leaves_the_index_of_unseen_ones_when_it_is_marked() -> None:
    run_id = seed("pure", status="failed", owner=None)
    unseen = """SELECT epoch, cursor FROM run_state
                WHERE run_id = %(r)s AND status = 'failed' AND seen_epoch IS DISTINCT FROM epoch"""
    shown = ask(unseen, r=run_id)[0]
    params = {"run_id": run_id, "epoch": shown["epoch"], "expected": json.dumps(shown["cursor"])}
    db.rows("mark_seen", **params, actor="ada", reason="", build="", by="")
    assert ask(unseen, r=run_id) == []


def test_a_heartbeat_writes_nothing_to_read(before: Counts) -> None:
    run_id = seed("pure")
    folded(read=1)
    lapse(run_id, -20)
    assert tally.fold() == 0
