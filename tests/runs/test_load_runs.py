"""load_runs: made-up runs whose log proves itself as that of real ones does."""

from __future__ import annotations

from collections import Counter

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from runs.checking import Checked, violations
from runs.states import Status
from tests.support.factories import ask


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed of this test's own: the runs of others stay. Their workers have left."""
    ask("UPDATE run_worker SET stopped_at = clock_timestamp() WHERE stopped_at IS NULL")
    return 1 + sum(map(ord, request.node.name)) + 1000 * len(request.node.name)


def made(seed: int) -> list[dict[str, object]]:
    return ask("SELECT * FROM run_state WHERE run_id LIKE %(like)s ORDER BY run_id", like=f"load_{seed}_%")


def test_every_run_is_made_and_its_log_ends_where_it_stands(seed: int) -> None:
    call_command("load_runs", runs=600, seed=seed, verbosity=0)
    runs, checked = made(seed), Checked()
    assert len(runs) == 600
    for run in runs:
        assert list(violations(checked, only=str(run["run_id"]))) == []
    assert checked.rows > 100 and {run["status"] for run in runs} >= {Status.DONE, Status.STARTED}


def test_a_lie_about_where_a_made_run_stands_is_found(seed: int) -> None:
    """The proof above is none where the log is not looked at."""
    call_command("load_runs", runs=50, seed=seed, verbosity=0)
    logged = ask(
        "SELECT run_id FROM run_transition WHERE run_id LIKE %(like)s AND kind = 'done' LIMIT 1",
        like=f"load_{seed}_%",
    )[0]["run_id"]
    ask("ALTER TABLE run_state DISABLE TRIGGER USER")
    ask("UPDATE run_state SET epoch = 9 WHERE run_id = %(run_id)s", run_id=logged)
    ask("ALTER TABLE run_state ENABLE TRIGGER USER")
    assert len(list(violations(Checked(), only=logged))) == 1


def test_the_same_seed_makes_the_same_runs_and_only_once(seed: int) -> None:
    call_command("load_runs", runs=200, seed=seed, verbosity=0)
    with pytest.raises(CommandError, match="are there already: choose another --seed"):
        call_command("load_runs", runs=200, seed=seed, verbosity=0)
    first = Counter(str(run["status"]) for run in made(seed))
    assert first[Status.DONE] > 150


def test_nothing_is_made_beside_workers_that_would_take_it_for_real(seed: int) -> None:
    ask(
        "INSERT INTO run_worker (owner, name, build, heartbeat_seconds, ttl_seconds, grace_seconds) "
        "VALUES (%(owner)s, 'w', '1', 10, 30, 30)",
        owner=f"w#{seed}",
    )
    try:
        with pytest.raises(CommandError, match=r"at work on this database.*stop them first"):
            call_command("load_runs", runs=200, seed=seed, verbosity=0)
    finally:
        ask("DELETE FROM run_worker WHERE owner = %(owner)s", owner=f"w#{seed}")
    assert made(seed) == []
