"""Readers of the log miss nothing: an id that is committed late is delivered, once, and a gap blocks nobody."""

from __future__ import annotations

from django.db import connection

from runs.watching.tail import moved_since, position
from tests.support.factories import ask, seed
from tests.support.races import Side, sides

MOVE = 'UPDATE run_state SET cursor = cursor || \'{"status": "failed"}\' WHERE run_id = %s'


def test_c38_a_row_with_a_lower_id_that_commits_later_is_delivered_once() -> None:
    slow, quick, undone = seed("keyed"), seed("keyed"), seed("keyed")
    start, _ = position(connection)
    with sides() as (first, second):
        with first.conn.transaction():
            first.conn.execute(MOVE, [slow])
            second.conn.execute(MOVE, [quick])
            rolled_back(second, undone)
            early = moved_since(connection, start)
            assert not {slow, quick} & {moved.run_id for moved in early}, (
                "a row above an open transaction was read"
            )
        last = early[-1].position if early else start
        late = [moved.run_id for moved in moved_since(connection, last)]
    assert (late.count(slow), late.count(quick), late.count(undone)) == (1, 1, 0)
    ids = {
        found["run_id"]: found["id"]
        for found in ask(
            "SELECT run_id, id FROM run_transition WHERE run_id = ANY (%(r)s) AND kind = 'failed'",
            r=[slow, quick],
        )
    }
    assert ids[slow] < ids[quick]


def rolled_back(side: Side, run_id: str) -> None:
    side.conn.execute("BEGIN")
    side.conn.execute(MOVE, [run_id])
    side.conn.execute("ROLLBACK")
