"""What a replay found: both witnesses' figures, whether they agree, and which promises did not hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from examples.purchase_orders.replay import figures
from examples.purchase_orders.replay.deploy import Outcome
from examples.purchase_orders.replay.figures import Figures
from examples.purchase_orders.replay.from_books import Witness
from examples.purchase_orders.replay.history import End, History
from examples.purchase_orders.replay.judge import Judge, Verdict
from examples.purchase_orders.replay.plan import Plan


@dataclass(frozen=True)
class Report:
    plan: Plan
    outcome: Outcome
    record: Figures
    books: Figures
    verdict: Verdict
    broken: list[str]

    @property
    def holds(self) -> bool:
        return self.verdict.agree and not self.broken

    def as_json(self) -> dict[str, Any]:
        plan = self.plan
        return {
            "runs": plan.runs,
            "workers": plan.workers,
            "threads": plan.threads,
            "speed": plan.speed,
            "slow": dict(plan.slow),
            "naive": plan.naive,
            "in_flight": self.outcome.in_flight,
            "workers_killed": self.outcome.killed,
            "seconds": round(self.outcome.seconds, 1),
            **self.record.as_json(),
            "handover_seconds": {part: getattr(self.record.waited, part, None) for part in figures.PARTS},
            "books": self.books.as_json(),
            "books_agree": self.verdict.agree,
            "remarks": dict(self.verdict.remarks),
            "disagreements": self.verdict.disagreements,
            "broken": self.broken,
        }


def report(plan: Plan, outcome: Outcome, history: History, witness: Witness) -> Report:
    verdict = Judge(history, witness).judge()
    lost = len(history.ended(End.LOST))
    if lost:
        verdict.remarks["leases lapsed although their worker lived: the machine was too busy"] = lost
    record, books = figures.from_record(history), figures.from_books(witness)
    broken = [] if plan.naive else list(_broken(plan, record, books, history, witness))
    return Report(plan, outcome, record, books, verdict, broken)


def _broken(plan: Plan, record: Figures, books: Figures, history: History, witness: Witness) -> list[str]:
    """The promises that the record makes and that did not hold here."""
    found = []
    if record.finished + record.in_doubt != plan.runs:
        left = {run: status for run, status in history.status.items() if status not in ("done", "in_doubt")}
        stands = ", ".join(f"{run} {status}" for run, status in sorted(left.items())[:5])
        missing = plan.runs - record.finished - record.in_doubt
        found.append(
            f"{missing} runs are neither finished nor in doubt ({stands or 'they were never started'})."
        )
    if record.steps_repeated:
        found.append(f"{record.steps_repeated} steps began again after their commit.")
    for call in witness.applied_twice():
        found.append(f"{call.run_id}: {call.step} was applied twice ({call.call}).")
    cut_in_credit = sum(hold.inside == "credit_check" for hold in history.ended(End.CUT))
    if plan.slow:
        # On a bad day a worker may also have waited long enough, and asked again.
        cut_in_credit += sum(hold.inside == "credit_check" for hold in history.ended(End.RETRY))
    if books.calls("Creditline") > cut_in_credit:
        found.append(
            f"{books.calls('Creditline')} credit enquiries were repeated, and {cut_in_credit} runs were cut in one."
        )
    return found
