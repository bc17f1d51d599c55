"""Calls to vendors as the log tells them: each attempt at an effect, how it ended, and whether one was bought twice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import groupby

from runs.run import call_key
from runs.states import Guard, Kind, Status
from runs.watching import reads
from runs.watching.history.lanes import Money
from runs.watching.history.moves import Moves, is_report, money_of
from runs.watching.plans import Plan, StepPlan


class Known(StrEnum):
    """What is known of a call: it happened, it may have, it did not, or it is on its way."""

    YES = "yes"
    PERHAPS = "perhaps"
    NO = "no"
    UNDER_WAY = "under way"


@dataclass(frozen=True)
class Call:
    """One attempt at an effect. `items` counts those that a loop recorded under it; then it stands for as many calls.
    `twin` says what an earlier call of the same step makes of this one, `case_id` the open case that it belongs to."""

    step: StepPlan
    attempt: int
    epoch: int
    generation: int
    owner: str
    sent_at: datetime
    guard: str
    amount: Money | None
    key: str
    ended_at: datetime | None = None
    outcome: str = "under way"
    known: Known = Known.UNDER_WAY
    items: int | None = None
    items_again: int = 0
    twin: str = ""
    case_id: int | None = None

    @property
    def is_charge(self) -> bool:
        """The buyer's money, not ours."""
        return self.step.money == "charge"


# kind -> how an attempt that it ends is told, and what is known of its call
_ENDINGS: dict[str, tuple[str, Known]] = {
    Kind.STEP_COMPLETED: ("recorded", Known.YES),
    Kind.DONE: ("recorded", Known.YES),
    Kind.LANDED_LATE: ("recorded late", Known.YES),
    Kind.IN_DOUBT: ("in doubt", Known.PERHAPS),
    Kind.FLAGGED: ("in doubt", Known.PERHAPS),
    Kind.NOT_SENT: ("not sent", Known.NO),
    Kind.FAILED: ("gave up", Known.PERHAPS),
    Kind.BLOCKED: ("needs a person", Known.PERHAPS),
    Kind.REWOUND: ("sent back", Known.PERHAPS),
    Kind.CANCELLED: ("cancelled", Known.PERHAPS),
}


def calls(
    found: Moves, items: list[reads.Row], cases: list[reads.Row], plan: Plan, run_id: str
) -> list[Call]:
    """Every call in the rows that were read, oldest first."""
    made = _made(found, plan, run_id)
    for move in filter(is_report, found.rows):
        if move["kind"] == Kind.COMMIT_REFUSED:
            _refused(made, move)
    counted = [_counted(call, items) for call in made]
    return _twins([_in_case(call, cases) for call in counted])


def _made(found: Moves, plan: Plan, run_id: str) -> list[Call]:
    made: list[Call] = []
    for move in found.rows:
        if is_report(move):
            continue
        last = made[-1] if made and made[-1].known is Known.UNDER_WAY else None
        if last is not None:
            made[-1] = _ended(last, move)
        elif made and move["completed_step"] == made[-1].step.name and made[-1].known is Known.PERHAPS:
            # The vendor was asked, or the worker came back: the call is known to have happened after all.
            late = move["kind"] == Kind.LANDED_LATE
            made[-1] = replace(
                made[-1], outcome="recorded late" if late else "found at the vendor", known=Known.YES
            )
        elif made and move["kind"] == Kind.NOT_SENT and made[-1].known is Known.PERHAPS:
            made[-1] = replace(made[-1], outcome="not sent", known=Known.NO)
        if move["began_step"] and move["guard"] not in (None, "", Guard.PURE):
            made.append(_call(move, plan, run_id))
    return made


def _call(move: reads.Row, plan: Plan, run_id: str) -> Call:
    step = move["began_step"]
    return Call(
        plan.step(step), move["attempt"] or 1, move["epoch"], move["generation"], move["owner_after"] or "", move["at"],
        move["guard"], money_of(move), call_key(run_id, step, None, move["generation"]),
    )  # fmt: skip


def _ended(call: Call, move: reads.Row) -> Call:
    """The call after a row that may have ended it."""
    if move["completed_step"]:
        outcome, known = _ENDINGS.get(move["kind"], ("recorded", Known.YES))
        return replace(
            call, ended_at=move["at"], outcome=outcome, known=Known.YES if known is Known.PERHAPS else known
        )
    if move["epoch"] > call.epoch:
        return replace(call, ended_at=move["at"], outcome="no word from its worker", known=Known.PERHAPS)
    if move["kind"] == Kind.RETRY_SCHEDULED:
        settled = move["status_after"] == Status.PENDING
        outcome, known = ("did not happen", Known.NO) if settled else ("no answer", Known.PERHAPS)
        return replace(call, ended_at=move["at"], outcome=outcome, known=known)
    if move["kind"] in _ENDINGS:
        outcome, known = _ENDINGS[move["kind"]]
        return replace(call, ended_at=move["at"], outcome=outcome, known=known)
    return call


def _refused(made: list[Call], move: reads.Row) -> None:
    """A worker that had lost the run brought the answer of a call: it happened, whatever else is known."""
    for place in range(len(made) - 1, -1, -1):
        if made[place].epoch == move["epoch"] and made[place].step.name == move["step_before"]:
            made[place] = replace(
                made[place], ended_at=move["at"], outcome="answered too late, not taken", known=Known.YES
            )
            return


def _counted(call: Call, items: list[reads.Row]) -> Call:
    mine = [
        r
        for r in items
        if (r["step"], r["epoch"], r["attempt"]) == (call.step.name, call.epoch, call.attempt)
    ]
    if not mine:
        return call
    return replace(call, items=sum(r["items"] for r in mine), items_again=sum(r["again"] for r in mine))


def _in_case(call: Call, cases: list[reads.Row]) -> Call:
    for case in cases:
        if (case["step"], case["generation"]) == (
            call.step.name,
            call.generation,
        ) and call.known is not Known.NO:
            return replace(call, case_id=case["id"])
    return call


def _twins(made: list[Call]) -> list[Call]:
    """Mark what was bought twice: two calls known to have happened for one step. Under one key the vendor does it once."""
    marked = {id(call): call for call in made}
    by_step = sorted(made, key=lambda call: call.step.name)
    for _, group in groupby(by_step, key=lambda call: call.step.name):
        earlier: list[Call] = []
        for call in group:
            if call.items is None and call.known is not Known.NO:
                marked[id(call)] = replace(call, twin=_twin(call, earlier))
                earlier.append(call)
            elif call.items_again:
                marked[id(call)] = replace(call, twin=f"{call.items_again} of them bought twice")
    return [marked[id(call)] for call in made]


def _twin(call: Call, earlier: list[Call]) -> str:
    others = [e for e in earlier if not (call.guard == Guard.KEYED and e.key == call.key)]
    if not others:
        return "same key: done once" if earlier else ""
    sure = any(e.known is Known.YES for e in others)
    if call.known is Known.YES:
        return "bought twice" if sure else "perhaps bought twice"
    if call.known is Known.UNDER_WAY:
        return "bought twice as soon as it answers" if sure else "perhaps bought twice"
    return "perhaps bought twice"
