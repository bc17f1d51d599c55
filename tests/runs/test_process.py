"""The worker process: its rule of TTL and heartbeat, its name, its gate, its heartbeat thread, and a broker that is away."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.checks import run_checks

from dashboard import env
from runs import db
from runs.errors import ConfigurationRefused
from runs.run import boottime
from runs.worker.drain import Drain
from runs.worker.heartbeat import Heartbeat
from runs.worker.process import new_process, register
from tests.support import flows
from tests.support.factories import ask, kinds, new_id, overtake, row, seed
from tests.support.races import at_once, sides, wait_until_blocked
from tests.support.working import Worker


@pytest.mark.parametrize(
    ("ttl", "heartbeat"), [(30.0, 30.0), (30.0, 10.1), (1e9, 1e9), (0.0, 10.0), (-5.0, 1.0)]
)
def test_c12_a_process_refuses_a_ttl_under_three_heartbeats_and_names_both(
    settings: Any, ttl: float, heartbeat: float
) -> None:
    settings.LEASEBOARD_TTL_SECONDS, settings.LEASEBOARD_HEARTBEAT_SECONDS = ttl, heartbeat
    with pytest.raises(
        ConfigurationRefused, match=re.escape(f"TTL is {ttl:g} s and the heartbeat {heartbeat:g} s")
    ) as refused:
        new_process(4)
    assert "at least three heartbeats" in str(refused.value)
    assert str(refused.value) in [error.msg for error in run_checks()]


def test_c12_a_heartbeat_of_zero_is_refused(settings: Any) -> None:
    settings.LEASEBOARD_HEARTBEAT_SECONDS = 0.0
    with pytest.raises(ConfigurationRefused, match="above 0"):
        new_process(4)


@pytest.mark.parametrize("raw", ["0", "-5", "30s", "1e9", "nan", "inf"])
def test_c12_what_is_no_number_of_seconds_is_refused_by_the_environment(
    monkeypatch: pytest.MonkeyPatch, raw: str
) -> None:
    monkeypatch.setenv("LEASEBOARD_TTL_SECONDS", raw)
    with pytest.raises(env.SettingRefused, match="LEASEBOARD_TTL_SECONDS"):
        env.TTL_SECONDS.value()


def test_c12_exactly_three_heartbeats_is_the_least(settings: Any) -> None:
    settings.LEASEBOARD_TTL_SECONDS, settings.LEASEBOARD_HEARTBEAT_SECONDS = 30.0, 10.0
    assert new_process(1).writer.ttl == 30.0


def test_two_processes_of_one_host_have_names_of_their_own() -> None:
    first, second = new_process(1), new_process(1)
    assert first.writer.owner != second.writer.owner
    register(first)
    assert ask("SELECT build FROM run_worker WHERE owner = %(o)s", o=first.writer.owner) == [
        {"build": django_settings.LEASEBOARD_BUILD}
    ]


def driving(worker: Worker, **state: Any) -> tuple[str, Heartbeat, Any]:
    """A run under way inside its body in another thread, until the returned event is set."""
    import threading

    run_id = seed("keyed", status="pending", attempt=0, owner=None, **state)
    inside, go_on = threading.Event(), threading.Event()
    flows.on(run_id, "act", lambda ctx: inside.set() or (go_on.wait(20) and {"lost": ctx.lost}))
    done = at_once(lambda: worker.drive(run_id))
    assert inside.wait(10)
    heartbeat = Heartbeat(worker.process, Drain(worker.process, lambda on: None))

    def finish() -> str:
        go_on.set()
        return str(done.result(20))

    return run_id, heartbeat, finish


def test_a_beat_renews_the_run_under_way_and_reports_the_call_it_is_inside() -> None:
    worker = Worker()
    run_id, heartbeat, finish = driving(worker)
    ask(
        "UPDATE run_state SET lease_expires_at = clock_timestamp() + interval '1 s' WHERE run_id = %(r)s",
        r=run_id,
    )
    assert heartbeat._beat()
    left = ask(
        "SELECT extract(epoch FROM lease_expires_at - clock_timestamp())::float8 AS s FROM run_state WHERE run_id = %(r)s",
        r=run_id,
    )
    inside = ask("SELECT inside FROM run_worker WHERE owner = %(o)s", o=worker.writer.owner)[0]["inside"]
    assert left[0]["s"] > 25
    assert [(call["run"], call["vendor"]) for call in inside] == [(run_id, "Testbank")]
    assert finish() == "done"
    heartbeat._drop()


def test_a_run_that_was_taken_away_is_noticed_reported_once_and_its_worker_stops() -> None:
    worker = Worker()
    run_id, heartbeat, finish = driving(worker)
    overtake(run_id)
    heartbeat._beat()
    heartbeat._beat()
    assert kinds(run_id).count("loss_noticed") == 1
    finish()
    assert (row(run_id)["completed"].get("act"), flows.called(run_id, "tidy")) == (None, 0)
    assert kinds(run_id)[-1] == "commit_refused"
    heartbeat._drop()


def test_a_call_far_past_its_timeout_is_beaten_for_no_longer() -> None:
    worker = Worker()
    run_id, heartbeat, finish = driving(worker)
    (drive,) = worker.process.held()
    drive.inside_since = drive.progress_at = boottime() - 5 - 30 - 1
    before = row(run_id)["lease_expires_at"]
    heartbeat._beat()
    assert row(run_id)["lease_expires_at"] == before
    finish()
    heartbeat._drop()


def test_a_row_locked_for_half_the_ttl_is_beaten_alone_and_waited_for() -> None:
    worker = Worker()
    run_id, heartbeat, finish = driving(worker)
    (drive,) = worker.process.held()
    with sides(1) as (stranger,):
        with stranger.holding(run_id):
            heartbeat._beat()
            assert drive.skipped_since is not None and not drive.lost
            drive.skipped_since -= worker.writer.ttl
            beat = at_once(heartbeat._beat)
            assert heartbeat._conn is not None
            wait_until_blocked(heartbeat._conn.info.backend_pid)
        assert beat.result(10)
    assert drive.skipped_since is None
    assert finish() == "done"
    heartbeat._drop()


PLACE_AN_ORDER = """
import json, sys, time, django
django.setup()
from runs import engine, tasks
began = time.monotonic()
engine.start("pure", sys.argv[1], {})
taken = tasks.dispatch(sys.argv[1])
print(json.dumps({"taken": taken, "seconds": time.monotonic() - began}))
"""


def test_c34_with_the_queue_down_a_start_is_saved_within_two_seconds_and_the_sweep_starts_it(
    record_url: str,
) -> None:
    run_id = new_id()
    more = {
        "DATABASE_URL": record_url,
        "CELERY_BROKER_URL": "redis://127.0.0.1:1/0",
        "LEASEBOARD_WORKFLOWS": flows.__name__,
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
    }
    command = [sys.executable, "-c", PLACE_AN_ORDER, run_id]
    done = subprocess.run(command, env={**os.environ, **more}, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert (said["taken"], said["seconds"] < 2) == (False, True)
    ask("UPDATE run_state SET updated_at = updated_at - interval '61 s' WHERE run_id = %(r)s", r=run_id)
    due = db.rows("due", after=run_id[:-1], last_sweep="2000-01-01", page=500)
    assert run_id in {found["run_id"] for found in due}
    assert Worker().drive(run_id) == "done"
