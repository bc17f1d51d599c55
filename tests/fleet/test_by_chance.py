"""What restarts and deaths under a fleet have shown by chance, each told here by one process alone."""

from __future__ import annotations

import threading

import pytest

from runs import actions, engine
from tests.fleet.waiting import until
from tests.support import flows
from tests.support.board import on_the_record, record_url
from tests.support.factories import ADA, W1, held_by, kinds, row, seed, shown
from tests.support.proxy import between
from tests.support.working import Worker

__all__ = ["on_the_record", "record_url"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_first_start_mark_of_a_loop_is_known_to_have_landed_by_the_cursor_itself(when: str) -> None:
    """A move of the item alone has no row in the log, and no item is finished yet."""
    run_id = seed("loop", guard="repeat_ok")
    with between() as proxy:
        run = held_by(W1, run_id)
        onward = {**run.cursor, "item": "a", "items_done": 0, "items_total": 2}
        proxy.cut_next(when)
        engine.commit_items(run, W1, [], onward, "Testbank", keep=True)
    assert proxy.cuts == [when]
    assert run.cursor == onward == row(run_id)["cursor"]


def test_a_run_is_offered_to_others_only_after_its_process_has_left_it() -> None:
    """Its own message could come back at once, and would be taken for a second one."""
    run_id, worker = seed("unprotected", status="pending", owner=None), Worker()
    seen: list[bool] = []
    worker.process.offer = lambda offered: seen.append(worker.process.is_driving(offered))
    flows.on(run_id, "act", lambda ctx: actions.take_over(shown(run_id), ADA) and {"paid": True})
    worker.drive(run_id)
    assert "landed_late" in kinds(run_id)
    assert seen == [False]


def test_of_two_runs_that_lost_two_workers_a_process_takes_one_however_close_the_messages() -> None:
    """Both claims would look at once and find none: then a healthy run dies with the poison for the third time."""
    for _ in range(12):
        worker, end = Worker(), threading.Event()
        pair = [seed("pure", status="pending", owner=None, lapses=["a#1", "b#2"]) for _ in range(2)]
        for run_id in pair:
            flows.on(run_id, "act", lambda ctx, end=end: end.wait(10) and {})
        threads = [threading.Thread(target=worker.drive, args=(run_id,)) for run_id in pair]
        for thread in threads:
            thread.start()
        until(lambda pair=pair: sum(flows.called(run_id, "act") for run_id in pair), "one is under way")
        until(
            lambda threads=threads: sum(thread.is_alive() for thread in threads) == 1,
            "the other is left alone",
        )
        end.set()
        for thread in threads:
            thread.join()
