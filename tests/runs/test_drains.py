"""boot, beat, sigterm, mark_drain, end_drain, acknowledge, leave, declare_gone: a drain is a record."""

from __future__ import annotations

from typing import Any

import pytest

from runs import actions, db, engine
from runs.fence import Writer
from tests.support.factories import ADA, ask, beat, boot, lapse, new_id, row, seed, silent, vendors


def drain_of(writer: Writer) -> dict[str, Any]:
    text = """SELECT d.*, b.acknowledged_at AS heard FROM run_drain AS d JOIN run_drain_bound AS b ON b.drain_id = d.id
              WHERE b.owner = %(owner)s ORDER BY d.id"""
    return ask(text, owner=writer.owner)[-1]


def claims(writer: Writer) -> bool:
    return engine.claim(seed("pure", status="pending", owner=None), writer, vendors()) is not None


def worker(writer: Writer) -> dict[str, Any]:
    return ask("SELECT * FROM run_worker WHERE owner = %(owner)s", owner=writer.owner)[0]


def test_a_process_hears_at_its_beat_that_nothing_binds_it() -> None:
    heard = beat(boot())
    assert (heard["draining"], heard["gone"]) == (False, False)


def test_an_absent_process_hears_nothing() -> None:
    params = {
        "owner": new_id("ghost"),
        "pause": 0,
        "offset": 0,
        "inside": "[]",
        "acknowledged": False,
        "since_claim": None,
    }
    assert db.rows("beat", **params) == []


def test_a_beat_keeps_the_longest_pause_and_the_last_twenty_gaps() -> None:
    writer = boot()
    for _ in range(25):
        silent(writer, 5)
        beat(writer)
    now = worker(writer)
    assert (len(now["beats"]), now["pause_seconds"]) == (20, 0.1)
    assert all(gap >= 5 for gap in now["beats"])


@pytest.mark.parametrize("by", ["build", "node", "owner", "name"])
def test_a_drain_binds_the_processes_alive_at_the_mark_and_no_later_one(by: str) -> None:
    build, node = new_id("build"), new_id("node")
    before = boot(build, node)
    named: dict[str, Any] = {
        "build": {"build": build},
        "node": {"node": node},
        "owner": {"owners": [before.owner]},
        "name": {"owners": [before.owner[:-5]]},
    }[by]
    marked = actions.mark_drain(ADA, **named)
    after = boot(build, node)
    assert marked["bound"] == 1
    assert (beat(before)["draining"], beat(after)["draining"]) == (True, False)
    assert (claims(before), claims(after)) == (False, True)


def test_a_roll_back_to_a_build_that_was_drained_an_hour_ago_claims_at_once() -> None:
    build = new_id("build")
    old = boot(build)
    marked = actions.mark_drain(ADA, build=build)
    ask("UPDATE run_drain SET marked_at = marked_at - interval '1 hour' WHERE id = %(id)s", id=marked["id"])
    again = boot(build)
    assert not beat(again)["draining"]
    assert (claims(again), claims(old)) == (True, False)


def test_a_person_ends_a_drain_and_its_processes_claim_again_once() -> None:
    writer = boot()
    marked = actions.mark_drain(ADA, owners=[writer.owner])
    assert actions.end_drain(ADA, marked["id"]) is True
    assert actions.end_drain(ADA, marked["id"]) is False
    assert (claims(writer), drain_of(writer)["ended_by"]) == (True, "ada")


def test_sigterm_is_for_good_also_after_a_person_ended_the_drain() -> None:
    writer = boot()
    db.rows("sigterm", owner=writer.owner)
    assert actions.end_drain(ADA, drain_of(writer)["id"])
    assert beat(writer)["draining"] and not claims(writer)


def test_sigterms_of_one_build_join_one_drain_and_those_of_another_do_not() -> None:
    build = new_id("build")
    first, second, other = boot(build), boot(build), boot()
    for writer in (first, second, other, first):
        db.rows("sigterm", owner=writer.owner)
    assert drain_of(first)["id"] == drain_of(second)["id"] != drain_of(other)["id"]
    assert worker(first)["sigterm_at"] is not None


def test_a_process_acknowledges_every_open_drain_that_binds_it() -> None:
    writer = boot()
    actions.mark_drain(ADA, owners=[writer.owner])
    assert drain_of(writer)["heard"] is None
    db.rows("acknowledge", owner=writer.owner)
    assert drain_of(writer)["heard"] is not None
    actions.mark_drain(ADA, owners=[writer.owner])
    beat(writer, acknowledged=True)
    assert drain_of(writer)["heard"] is not None
    assert worker(writer)["acknowledged_at"] is not None


def test_a_drain_ends_with_its_last_process() -> None:
    build = new_id("build")
    first, second = boot(build), boot(build)
    actions.mark_drain(ADA, build=build)
    db.rows("leave", owner=first.owner)
    assert drain_of(first)["ended_at"] is None
    db.rows("leave", owner=second.owner)
    assert (drain_of(first)["ended_by"], worker(second)["stopped_at"] is not None) == (
        "last worker left",
        True,
    )


def test_a_lapse_while_draining_is_a_deploy_cut_and_no_death() -> None:
    cut, died = boot(), boot()
    actions.mark_drain(ADA, owners=[cut.owner])
    for writer, lapses in ((cut, []), (died, [died.owner])):
        run_id = seed("pure", owner=writer.owner)
        lapse(run_id)
        engine.claim(run_id, boot(), vendors())
        assert row(run_id)["lapses"] == lapses


def test_three_deploys_in_a_row_do_not_block_a_run() -> None:
    run_id = seed("pure", status="pending", owner=None)
    for _ in range(4):
        writer = boot()
        assert engine.claim(run_id, writer, vendors()) is not None
        db.rows("sigterm", owner=writer.owner)
        lapse(run_id)
    assert (row(run_id)["status"], row(run_id)["lapses"]) == ("pending", [])


def test_a_silent_process_is_gone_once_its_leases_are_retaken_or_held() -> None:
    writer = boot()
    run_id = seed("pure", owner=writer.owner)
    silent(writer, 36)
    assert writer.owner not in gone()
    lapse(run_id)
    engine.claim(run_id, boot(), vendors())
    assert writer.owner in gone()
    assert beat(writer)["gone"] is True
    db.rows("revive", owner=writer.owner)
    assert worker(writer)["gone_at"] is None


def test_a_process_that_beats_or_was_silent_for_less_than_ttl_and_a_sweep_is_not_gone() -> None:
    fresh, recent = boot(), boot()
    silent(recent, 33)
    assert not {fresh.owner, recent.owner} & gone()


def test_drains_without_a_living_process_end_by_themselves() -> None:
    writer = boot()
    marked = actions.mark_drain(ADA, owners=[writer.owner])
    silent(writer, 100)
    gone()
    assert marked["id"] in {ended["id"] for ended in db.rows("end_empty_drains")}


def gone() -> set[str]:
    return {found["owner"] for found in db.rows("declare_gone", sweep=5.0)}


def test_publishing_the_same_body_again_writes_nothing_and_a_newer_one_wins() -> None:
    build = new_id("build")
    text = "SELECT xmin::text AS version, body FROM run_catalogue WHERE build = %(b)s"
    seen = []
    for body in ('{"steps": []}', '{"steps": [ ]}', '{"steps": [1]}'):
        db.rows("publish", workflow="pure", build=build, body=body)
        seen += ask(text, b=build)
    assert seen[0]["version"] == seen[1]["version"] != seen[2]["version"]
    assert seen[2]["body"] == {"steps": [1]}
