"""Every statement that writes a run, and the proof of its fence. A statement that is not listed here fails the first test."""

from __future__ import annotations

import json
import re
from typing import Any

import psycopg
import pytest

from runs import db
from tests.support.factories import (
    W1,
    ask,
    held_by,
    items_of,
    log_of,
    outputs_of,
    overtake,
    row,
    seed,
    shown,
    unchanged,
    vendors,
)

# By whose right each statement writes.
OWNERS = {
    "begin",
    "commit_items",
    "commit_plain",
    "commit_step",
    "commit_step_kept",
    "doubt",
    "heartbeat",
    "heartbeat_alone",
    "park",
    "release",
    "retry_later",
    "wait",
}
CASES = {"land_late", "not_sent"}
PEOPLE = {
    "cancel",
    "flag",
    "hold",
    "lift",
    "mark_seen",
    "nudge",
    "retry_failed",
    "rewind",
    "signal",
    "take_over",
}
MACHINERY = {"start", "claim", "hold_lapsed", "block_unknown", "unblock_known"}
WRITES = re.compile(r"\b(UPDATE|INSERT INTO|DELETE FROM)\s+run_state\b")


def test_c17_every_statement_that_writes_a_run_is_known_with_the_right_it_writes_by() -> None:
    writers = {path.stem for path in db.SQL.glob("*.sql") if WRITES.search(path.read_text())}
    assert writers == OWNERS | CASES | PEOPLE | MACHINERY


@pytest.mark.parametrize("name", sorted(OWNERS))
def test_c17_c18_an_owner_at_a_superseded_epoch_moves_nothing_by_any_statement(name: str) -> None:
    for take in (overtake, taken_by_a_person):
        run_id = seed("keyed", step="act")
        params = everything(run_id)
        take(run_id)
        before = (row(run_id), len(log_of(run_id)))
        assert db.rows(name, **wanted(name, params)) == []
        assert unchanged(run_id, before[0])
        assert (len(log_of(run_id)), outputs_of(run_id), items_of(run_id)) == (before[1], [], {})


@pytest.mark.parametrize("name", sorted(OWNERS))
def test_an_owner_that_claimed_the_run_again_moves_nothing_by_its_earlier_epoch(name: str) -> None:
    """The same process, name and cursor: only the epoch tells its two lives apart."""
    run_id = seed("keyed")
    params = everything(run_id)
    overtake(run_id, W1)
    before = row(run_id)
    assert db.rows(name, **wanted(name, params)) == []
    assert unchanged(run_id, before)


@pytest.mark.parametrize("name", sorted(OWNERS))
def test_an_owner_that_gave_the_run_back_moves_nothing_by_the_epoch_that_still_stands(name: str) -> None:
    run_id = seed("keyed")
    params = everything(run_id)
    ask("UPDATE run_state SET lease_owner = NULL, lease_expires_at = NULL WHERE run_id = %(r)s", r=run_id)
    before = row(run_id)
    assert db.rows(name, **wanted(name, params)) == []
    assert unchanged(run_id, before)


@pytest.mark.parametrize("name", sorted(OWNERS - {"heartbeat", "heartbeat_alone", "commit_plain"}))
def test_an_owner_whose_cursor_another_write_moved_writes_nothing(name: str) -> None:
    run_id = seed("keyed")
    params = everything(run_id)
    ask("UPDATE run_state SET cursor = cursor || '{\"attempt\": 9}' WHERE run_id = %(r)s", r=run_id)
    before = row(run_id)
    assert db.rows(name, **wanted(name, params)) == []
    assert unchanged(run_id, before)


@pytest.mark.parametrize("name", sorted(OWNERS))
def test_the_rightful_owner_does_write_by_each_of_them(name: str) -> None:
    run_id = seed("keyed")
    before = row(run_id)
    assert db.rows(name, **wanted(name, everything(run_id))) != []
    assert not unchanged(run_id, before)


@pytest.mark.parametrize("name", sorted(PEOPLE - {"nudge", "signal"}))
def test_a_person_who_saw_an_earlier_epoch_moves_nothing(name: str) -> None:
    run_id = seed(
        "pure",
        status="held"
        if name == "lift"
        else "failed"
        if name in ("retry_failed", "rewind", "mark_seen")
        else "pending",
        owner=None,
    )
    params = everything(run_id) | {"build": "test", "reason": ""}
    ask("UPDATE run_state SET epoch = epoch + 1 WHERE run_id = %(r)s", r=run_id)
    before = row(run_id)
    assert db.rows(name, **wanted(name, params)) == []
    assert unchanged(run_id, before)


def test_c18_only_reports_are_accepted_from_an_owner_that_lost_the_run_and_they_move_nothing() -> None:
    run_id = seed("keyed")
    params = everything(run_id)
    overtake(run_id)
    before = row(run_id)
    report = params | {"kind": "commit_refused", "onward": None, "build": "test", "reason": "Epoch 7 < 8."}
    db.rows("report", **wanted("report", report))
    assert unchanged(run_id, before)
    assert (log_of(run_id)[-1]["kind"], log_of(run_id)[-1]["epoch"]) == ("commit_refused", 7)


def test_c18_the_log_takes_no_row_that_moves_a_run_from_anybody() -> None:
    """A row written into the log by hand is no move: the run stands, and the log cannot be changed afterwards."""
    run_id = seed("keyed")
    before = row(run_id)
    ask(
        "INSERT INTO run_transition (run_id, kind, epoch, generation) VALUES (%(r)s, 'done', 99, 0)", r=run_id
    )
    assert unchanged(run_id, before)
    with pytest.raises(psycopg.DatabaseError, match="append-only"):
        ask("DELETE FROM run_transition WHERE run_id = %(r)s AND epoch = 99", r=run_id)


def taken_by_a_person(run_id: str) -> None:
    seen = shown(run_id)
    params = everything(run_id) | {"epoch": seen.epoch, "actor": "ada"}
    assert db.rows("take_over", **wanted("take_over", params))


def everything(run_id: str) -> dict[str, Any]:
    """What W1 would send at this moment, whichever statement it chose."""
    run = held_by(W1, run_id)
    onward = {"step": "tidy", "status": "pending", "attempt": 0, "item": None}
    return {
        "run_id": run_id,
        "owner": W1.owner,
        "epoch": run.epoch,
        "expected": json.dumps(run.cursor),
        "onward": json.dumps(onward),
        "ttl": 60.0,
        "vendor": "",
        "vendors": vendors(),
        "by": db.by(""),
        "result": '{"act": 1}',
        "consumed": [],
        "outputs": "[]",
        "labels": "[]",
        "items": '[{"item": "a", "result": 1}]',
        "attempt": 1,
        "item": None,
        "step": "act",
        "reason": "Because.",
        "error": "Traceback",
        "raw": None,
        "wait_seconds": 1.0,
        "raise_generation": 0,
        "wanted": None,
        "run_ids": [run_id],
        "epochs": [run.epoch],
        "actor": "ada",
        "dropped": ["act"],
        "even_held": True,
        "seen_at": None,
    }


def wanted(name: str, params: dict[str, Any]) -> dict[str, Any]:
    names = set(re.findall(r"%\((\w+)\)s", db.sql(name).decode()))
    return {key: params[key] for key in names}
