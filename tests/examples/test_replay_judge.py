"""The two witnesses of a replay: figures from each, and every way in which they may contradict each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from examples.purchase_orders.replay.figures import Duplicate, Recovery, from_books, from_record
from examples.purchase_orders.replay.from_books import Witness
from examples.purchase_orders.replay.history import VENDOR, End, History, Hold, Mark
from examples.purchase_orders.replay.judge import Judge, Verdict
from examples.purchase_orders.vendors.books import Books, Call

FEE = (Decimal("0.40"), "EUR")
DIED = 20.0


def called(step: str, owner: str, came: float, answered: float | None, **more: Any) -> Call:
    """A call that was applied when it came; times are seconds of the scene."""
    blank = dict.fromkeys(Call.__dataclass_fields__)
    facts = {
        "call": f"{step}-{owner}-{came}", "vendor": VENDOR[step], "action": "do", "run_id": "r", "step": step, "owner": owner,
        "epoch": 1 if owner == "a" else 2, "generation": 0, "received_at": moment(came), "applied_at": moment(came),
        "answered_at": moment(answered), "amount": Decimal(0), "replayed": False, "outcome": "done",
    }  # fmt: skip
    return Call(**(blank | facts | more))


def moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


@dataclass
class Scene:
    """Worker a reads the request and dies inside the credit check; b asks again and brings the run to its end."""

    status: str = "done"
    a: Hold = field(
        default_factory=lambda: Hold("r", "a", 1, since=1.0, until=26.0, end=End.CUT, inside="credit_check")
    )
    b: Hold = field(default_factory=lambda: Hold("r", "b", 2, since=26.0, until=40.0, end=End.OVER))
    calls: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.a.marks = [
            Mark("parse_request", 1),
            Mark("parse_request", 10, done=True),
            Mark("credit_check", 11, amount=FEE),
        ]
        self.b.marks = [Mark("credit_check", 26, again=True, amount=FEE), Mark("credit_check", 30, done=True)]
        enquiry = {"amount": FEE[0], "currency": FEE[1]}
        self.calls = [
            called("parse_request", "a", 1.1, 9.9),
            called("credit_check", "a", 11.1, 28.0, **enquiry),
            called("credit_check", "b", 26.1, 29.9, **enquiry),
            called("notify_supplier", "b", 35.0, 39.0),
        ]

    @property
    def history(self) -> History:
        return History({"r": [self.a, self.b]}, {"r": self.status}, {"a": DIED}, {})

    @property
    def witness(self) -> Witness:
        return Witness(Books(self.calls), {"a": DIED})

    def judged(self) -> Verdict:
        return Judge(self.history, self.witness).judge()


def test_a_cut_and_its_repeat_look_the_same_from_both_sides():
    scene = Scene()
    record, books = from_record(scene.history), from_books(scene.witness)
    bought_twice = [Duplicate("Creditline", 1, Decimal("0.40"), "EUR")]
    for figures in (record, books):
        assert (figures.finished, figures.cut, figures.handed_over, figures.in_doubt) == (1, 1, 0, 0)
        assert (figures.steps_repeated, figures.duplicates) == (0, bought_twice)
    assert record.recovery == Recovery(6.0, 6.0, 6.0) and books.recovery == Recovery(6.1, 6.1, 6.1)
    assert scene.judged() == Verdict()


def without(scene: Scene, step: str, owner: str) -> None:
    scene.calls = [call for call in scene.calls if (call.step, call.owner) != (step, owner)]


def handed_over(scene: Scene) -> None:
    scene.a.end = End.HANDED_OVER


def free(scene: Scene) -> None:
    scene.calls = [replace(call, amount=Decimal(0), currency=None) for call in scene.calls]


def unanswered_charge(scene: Scene) -> None:
    scene.status = "started"
    without(scene, "notify_supplier", "b")
    scene.calls.append(called("charge_card", "b", 31.0, 33.0))


def early(scene: Scene) -> None:
    scene.b.since = 27.0


LIES: dict[str, tuple[Callable[[Scene], None], str]] = {
    "a run is done that no vendor finished": (lambda s: without(s, "notify_supplier", "b"), "know nothing of its last step"),
    "a run is done and the record denies it": (lambda s: setattr(s, "status", "started"), "is not done"),
    "a charge without an answer is nobody's doubt": (unanswered_charge, "is not in doubt"),
    "a call was open when the run was handed over": (handed_over, "died inside a call"),
    "a worker nobody knew made calls": (
        lambda s: s.calls.append(called("credit_check", "x", 32.0, 33.0)), "under a claim that the record does not have"
    ),
    "a step came again after its commit": (
        lambda s: s.calls.append(called("parse_request", "b", 31.0, 32.0)), "have parse_request again"
    ),
    "more was bought than the record knows": (lambda s: s.b.marks.pop(0), "the record knows of 0"),
    "the price is another": (free, "by the record"),
    "a call came before its claim": (early, "before it was claimed"),
    "a long silence ends in a cut": (lambda s: without(s, "credit_check", "a"), "after its last call"),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_what_nothing_explains_is_a_disagreement(lie: str):
    scene, (tell, found) = Scene(), LIES[lie]
    tell(scene)
    assert any(found in said for said in scene.judged().disagreements)


def test_what_happens_between_two_calls_is_named_and_no_disagreement():
    scene = Scene()
    without(scene, "credit_check", "a")
    scene.a.marks[-1] = replace(scene.a.marks[-1], at=DIED - 0.2)
    assert scene.judged().agree
    assert scene.judged().remarks == {
        "cut between two calls, which no vendor sees": 1,
        "cut between two calls, seen by the books as handed over": 1,
        "begun again after a call that had never left": 1,
    }


def test_a_doubt_whose_call_never_left_is_a_false_alarm_only_for_a_moment():
    for mark_at, agree in ((DIED - 0.5, True), (DIED - 9, False)):
        scene = Scene(status="in_doubt")
        scene.a.marks.append(Mark("charge_card", mark_at))
        scene.calls = [called("parse_request", "a", 1.1, 9.9), called("credit_check", "a", 10.1, 10.5)]
        history = History({"r": [scene.a]}, {"r": "in_doubt"}, {"a": DIED}, {})
        verdict = Judge(history, scene.witness).judge()
        assert verdict.agree is agree


def test_the_nearest_rank_is_a_delay_that_happened():
    assert Recovery.of(range(1, 201)) == Recovery(100, 198, 200)
    assert Recovery.of([]) is None
