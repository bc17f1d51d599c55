"""What restarts of PostgreSQL under a fleet have shown, each told here by one statement."""

from __future__ import annotations

import pytest

from runs import actions, engine
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
