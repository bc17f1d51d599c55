"""The log's short INSERT, for a commit that goes straight on, says what the long one would."""

from __future__ import annotations

from typing import Any

import pytest

from runs import db
from runs.results import as_json
from tests.support.factories import W1, ask, log_of, outputs_of, seed

ONWARD = {"step": "tidy", "status": "started", "attempt": 1, "item": None, "guard": "pure"}
OWN = {"id", "xid", "run_id", "at", "lapsed_at", "actor"}


def committed(actor: str, onward: dict[str, Any], result: str, **more: Any) -> dict[str, Any]:
    """The log's row of one commit. With an actor named, only the long INSERT will do."""
    run_id = seed("keyed", **more)
    found = ask("SELECT cursor FROM run_state WHERE run_id = %(r)s", r=run_id)[0]["cursor"]
    params = {
        "run_id": run_id,
        "owner": W1.owner,
        "epoch": 7,
        "expected": as_json(found),
        "onward": as_json(onward),
        "result": result,
        "vendor": "",
        "consumed": [],
        "ttl": 30.0,
        "by": db.by("commit_step", "b1", actor),
    }
    assert db.rows("commit_step", **params) == [{"stopped_at": None}]
    entry = log_of(run_id)[-1]
    assert entry["actor"] == (actor or None)
    displaced = [{"displaced": output["value"]} for output in outputs_of(run_id)]
    return {name: value for name, value in entry.items() if name not in OWN} | {
        "late": entry["lapsed_at"] is not None,
        "displaced": displaced,
    }


@pytest.mark.parametrize(
    ("onward", "result", "more"),
    [
        (ONWARD, '{"act": {"paid": "0.40"}}', {}),
        (ONWARD, '{"act": null}', {}),
        (ONWARD, "{}", {}),
        (ONWARD, '{"act": 1, "credit_check": 2}', {}),
        (ONWARD, '{"act": 2}', {"completed": {"act": 1}}),
        (ONWARD, '{"act": 2}', {"completed": {"act": 2}}),
        (ONWARD, '{"act": 2}', {"completed": ["act"]}),
        (ONWARD, '{"act": 2}', {"completed": "act"}),
        (ONWARD, '{"act": 2}', {"lease": -5.0}),
        ({**ONWARD, "attempt": 17}, '{"act": 2}', {}),
        ({**ONWARD, "attempt": "many"}, '{"act": 2}', {}),
        ({**ONWARD, "attempt": None}, '{"act": 2}', {}),
        ({**ONWARD, "step": "act"}, '{"act": 2}', {}),
        ({**ONWARD, "step": "a" * 300}, '{"act": 2}', {}),
        ({**ONWARD, "status": "pending"}, '{"act": 2}', {}),
        ({"step": "tidy", "status": "done"}, '{"act": 2}', {}),
    ],
)
def test_short_and_long_tell_the_same(onward: dict[str, Any], result: str, more: dict[str, Any]) -> None:
    assert committed("", onward, result, **more) == committed("ada", onward, result, **more)
