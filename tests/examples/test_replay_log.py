"""The history of a replay as the record's log and the old code's notes tell it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from examples.purchase_orders.orders import Orders
from examples.purchase_orders.replay import from_log, from_notes
from examples.purchase_orders.replay.history import End
from examples.purchase_orders.replay.notes import Notes, Reader
from runs import catalogue, db, engine
from runs.engine import Writer
from runs.results import stored
from runs.run import Run, mark
from runs.states import Status

ORDER = Orders(seed=3).order(1)


def boot(name: str, pid: int) -> Writer:
    writer = Writer(f"{name}#0f0f", name, ttl=0.2)
    db.rows(
        "boot", owner=writer.owner, name=name, build=name, host="", pod="", node="", pid=pid, threads=1,
        heartbeat=0.05, ttl=0.2, grace=1.0,
    )  # fmt: skip
    return writer


def claimed(writer: Writer) -> Run:
    run = engine.claim(ORDER.run_id, writer, catalogue.vendors_by_step())
    assert run is not None
    return run


def begin(run: Run, writer: Writer, **more: Any) -> None:
    engine.begin(
        run, writer, mark(run.step, Status.STARTED, run.attempt + 1, guard="repeat_ok", **more), "Parsewell"
    )


@pytest.mark.django_db(transaction=True)
def test_the_log_tells_a_cut_from_a_hand_over(database_url: str):
    engine.start("purchase_order", ORDER.run_id, ORDER.input)
    old, new = boot("old", 11), boot("new", 22)
    run = claimed(old)
    begin(run, old)
    died = time.time()
    time.sleep(0.3)
    run = claimed(new)
    begin(run, new, unknown=True)
    told = time.time()
    usage = {"usage": {"input_tokens": 14_000, "output_tokens": 500}}
    onward = mark("resolve_supplier", Status.PENDING, 0)
    engine.commit(run, new, stored(usage), onward, keep=False)
    history = from_log.load(database_url, {22: told}, {11: died}, ahead=0.0)
    db.pool.close()
    cut, handed = history.holds[ORDER.run_id]
    assert (cut.end, cut.inside, handed.end) == (End.CUT, "parse_request", End.HANDED_OVER)
    assert [seconds > 0.2 for _, _, seconds in history.followed(End.CUT)] == [True]
    ((_, again),) = history.bought_again()
    price = history.price(ORDER.run_id, again)
    assert price is not None and (float(price[0]), price[1]) == (0.0495, "EUR")


def test_the_old_codes_notes_tell_what_a_death_cost(tmp_path: Path):
    first, second = Notes(tmp_path, "old-01#a"), Notes(tmp_path, "new-01#b")
    for notes, pid in ((first, 11), (second, 22)):
        notes.write("booted", "", pid=pid)
        notes.write("taken", "r", number=1)
        notes.write("began", "r", step="parse_request", amount=None)
        notes.write("done", "r", step="parse_request", price={"amount": "0.05", "currency": "EUR"})
        notes.write("began", "r", step="quote", amount=None)
        notes.write("item", "r", step="quote", item="SK-1")
    second.write("finished", "r")
    history = from_notes.load(tmp_path, {11: time.time() + 1})
    cut, last = history.holds["r"]
    assert (cut.end, cut.inside, last.end, history.at("done")) == (End.CUT, "quote", End.OVER, {"r"})
    assert [repeat.step for repeat in history.repeats()] == ["parse_request"]
    assert [(mark.step, mark.item) for _, mark in history.bought_again()] == [
        ("parse_request", None),
        ("quote", "SK-1"),
    ]


def test_a_killed_writers_unfinished_line_is_left_for_later(tmp_path: Path):
    Notes(tmp_path, "w#a").write("taken", "r", number=1)
    path = tmp_path / "w#a.jsonl"
    path.write_bytes(path.read_bytes() + b'{"event": "fin')
    reader = Reader(tmp_path)
    assert [fact["event"] for fact in reader.news()] == ["taken"]
    path.write_bytes(path.read_bytes() + b'ished"}\n')
    assert [fact["event"] for fact in reader.news()] == ["finished"]
