"""heartbeat: one statement renews every lease of a process."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from runs import db
from runs.errors import ConfigurationRefused
from runs.fence import Writer
from tests.support.factories import W1, W2, ask, kinds, lapse, new_id, overtake, row, seed


def beat(*run_ids: str, epoch: int = 7, owner: str = W1.owner) -> set[str]:
    found = db.rows("heartbeat", run_ids=list(run_ids), epochs=[epoch] * len(run_ids), owner=owner, ttl=30.0)
    return {renewed["run_id"] for renewed in found}


def test_all_runs_of_the_process_are_renewed_at_once_and_nothing_is_logged() -> None:
    run_ids = [seed("pure", lease=1.0) for _ in range(3)]
    before = [row(run_id) for run_id in run_ids]
    assert beat(*run_ids) == set(run_ids)
    for old in before:
        now = row(old["run_id"])
        assert now["lease_expires_at"] - old["lease_expires_at"] > timedelta(seconds=25)
        assert now["updated_at"] == old["updated_at"]
        assert kinds(old["run_id"]) == []


def test_a_lapsed_lease_that_nobody_took_is_still_ours() -> None:
    run_id = seed("pure")
    lapse(run_id)
    assert beat(run_id) == {run_id}
    assert row(run_id)["leased"]


def test_a_run_that_was_lost_is_not_renewed_and_the_others_are() -> None:
    lost, kept = seed("pure"), seed("pure")
    overtake(lost)
    before = row(lost)
    assert beat(lost, kept) == {kept}
    assert row(lost)["lease_expires_at"] == before["lease_expires_at"]


def test_owner_and_epoch_are_both_demanded() -> None:
    run_id = seed("pure")
    assert beat(run_id, epoch=6) == beat(run_id, owner=W2.owner) == set()


def test_a_finished_run_and_an_absent_one_are_not_renewed() -> None:
    assert beat(seed("pure", status="done", owner=None), new_id()) == set()


def test_beaten_alone_it_demands_owner_and_epoch_as_well() -> None:
    run_id = seed("pure", lease=1.0)
    alone: dict[str, Any] = {"run_ids": [run_id], "owner": W1.owner, "ttl": 30.0}
    assert db.rows("heartbeat_alone", epochs=[6], **alone) == []
    assert len(db.rows("heartbeat_alone", epochs=[7], **alone)) == 1


@pytest.mark.parametrize("ttl", [0, -5.0, None, "30s", float("nan"), float("inf")])
def test_c12_a_ttl_that_is_no_number_above_zero_makes_no_writer(ttl: Any) -> None:
    with pytest.raises(ConfigurationRefused, match="a TTL above 0 seconds"):
        Writer("w", "test", ttl)


def test_a_heartbeat_touches_no_index() -> None:
    """No index holds the expiry or updated_at: else no heartbeat could be HOT."""
    text = """SELECT i.indexrelid::regclass::text AS index, a.attname FROM pg_index AS i
              JOIN pg_depend AS d ON d.objid = i.indexrelid AND d.refobjid = i.indrelid
              JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
              WHERE i.indrelid = 'run_state'::regclass AND a.attname IN ('lease_expires_at', 'updated_at', 'cursor')"""
    assert ask(text) == []
