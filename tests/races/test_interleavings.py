"""Every order of an owner's commit, its heartbeat, a sweep in two halves and two operators, on one row.

Each is one statement, and the row's lock makes statements take turns: so all there is to try is their order.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from runs import db
from runs.checking import Checked, violations
from tests.support.factories import W1, W2, cases_of, log_of, row, seed, vendors

NEXT = {"step": "tidy", "status": "started", "attempt": 1, "item": None, "guard": "pure"}
EVENTS = ("commit", "heartbeat", "look", "sweep", "take_over", "second")
ORDERS = [order for order in itertools.permutations(EVENTS) if order.index("look") < order.index("sweep")]


@dataclass
class Table:
    """One lapsed run, what each party saw of it at the start, and which of them were told yes."""

    workflow: str
    second: str
    run_id: str = ""
    cursor: dict[str, Any] = field(default_factory=dict)
    seen: db.Row | None = None
    yes: list[str] = field(default_factory=list)

    def play(self, order: tuple[str, ...]) -> None:
        self.run_id = seed(self.workflow, lease=-0.001, completed={})
        self.cursor = row(self.run_id)["cursor"]
        moves: dict[str, Callable[[], Any]] = {
            "commit": self.commit,
            "heartbeat": self.heartbeat,
            "look": self.look,
            "sweep": self.sweep,
            "take_over": lambda: self.person("take_over", "ada"),
            "second": lambda: self.person(self.second, "ben"),
        }
        for name in order:
            if moves[name]():
                self.yes.append(name)

    def commit(self) -> Any:
        return db.rows(
            "commit_step",
            run_id=self.run_id,
            owner=W1.owner,
            epoch=7,
            expected=json.dumps(self.cursor),
            onward=json.dumps(NEXT),
            vendor="",
            result='{"act": {"paid": true}}',
            consumed=[],
            ttl=30.0,
            by=db.by("commit_step"),
        )

    def heartbeat(self) -> Any:
        return db.rows("heartbeat", run_ids=[self.run_id], epochs=[7], owner=W1.owner, ttl=30.0)

    def look(self) -> Any:
        """The sweep reads; what it does later is decided by what it saw now."""
        text = "due"
        page = db.rows(text, after=self.run_id[:-1], last_sweep="2000-01-01", page=500)
        self.seen = next((found for found in page if found["run_id"] == self.run_id), None)

    def sweep(self) -> Any:
        if self.seen is None:
            return None
        if self.seen["unprotected"]:
            return db.rows(
                "hold_lapsed",
                run_id=self.run_id,
                epoch=self.seen["epoch"],
                reason="It stopped.",
                by=db.by("hold_lapsed"),
            )
        return db.rows(
            "claim", run_id=self.run_id, owner=W2.owner, ttl=30.0, vendors=vendors(), by=db.by("claim")
        )

    def person(self, verb: str, actor: str) -> Any:
        word = {"take_over": "taken_over", "cancel": "cancelled", "hold": "held", "flag": "flagged"}[verb]
        more: dict[str, Any] = {"even_held": True} if verb == "take_over" else {"reason": "why"}
        return db.rows(
            verb,
            run_id=self.run_id,
            epoch=7,
            expected=json.dumps(self.cursor),
            actor=actor,
            **more,
            by=db.by(word, "", actor),
        )


@pytest.mark.parametrize("second", ["take_over", "cancel", "hold", "flag"])
@pytest.mark.parametrize("workflow", ["keyed", "unprotected"])
def test_no_order_breaks_an_invariant(workflow: str, second: str) -> None:
    # The second take-over meets every order; the verbs that only mark meet one in six.
    orders = ORDERS if second in ("take_over", "cancel") else ORDERS[len(second) :: 6]
    for order in orders:
        table = Table(workflow, second)
        table.play(order)
        now, log = row(table.run_id), log_of(table.run_id)
        assert list(violations(Checked(), table.run_id)) == [], order
        # Told yes means done, once; told no means untouched.
        assert ("commit" in table.yes) == (now["completed"] == {"act": {"paid": True}}), order
        assert sum(entry["completed_step"] == "act" for entry in log) == table.yes.count("commit"), order
        people = [entry["actor"] for entry in log if entry["actor"]]
        assert sorted(people) == sorted(
            {"take_over": "ada", "second": "ben"}[who] for who in table.yes if who in ("take_over", "second")
        ), order
        # Whoever takes the run away is the last to have been told yes by it at that epoch.
        takers = [
            who
            for who in table.yes
            if who in ("take_over", "sweep") or (who == "second" and second == "take_over")
        ]
        assert now["epoch"] <= 7 + len(takers) + 1, order
        # An unprotected call that nobody recorded is never in anybody's hands again without a case.
        if workflow == "unprotected" and "commit" not in table.yes and now["status"] != "started":
            assert cases_of(table.run_id), order


def test_every_order_is_tried() -> None:
    assert len(ORDERS) == 360
