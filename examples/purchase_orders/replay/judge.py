"""Holds the record against the books, run by run: a difference is either explained, or the two disagree.

The books see calls only. What happens between two calls they cannot see, and each such case is named and counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal

from examples.purchase_orders.replay.figures import FREE
from examples.purchase_orders.replay.from_books import Key, Witness
from examples.purchase_orders.replay.history import EFFECTS, VENDOR, End, History, Hold

# Between a start mark and its call, or an answer and its commit, a busy machine may lose this long, not longer.
BETWEEN_CALLS_SECONDS = 3.0
Effect = tuple[str, str, str | None]


@dataclass
class Verdict:
    """remarks explain differences; disagreements are those that nothing explains."""

    remarks: Counter[str] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)

    @property
    def agree(self) -> bool:
        return not self.disagreements


class Judge:
    def __init__(self, history: History, witness: Witness) -> None:
        self.history, self.witness = history, witness
        self.holds: dict[Key, Hold] = {hold.key: hold for hold in history.every()}
        self.verdict = Verdict()

    def judge(self) -> Verdict:
        self._claimed()
        self._finished()
        self._in_doubt()
        self._cut()
        self._handed_over()
        self._repeated()
        self._bought_again()
        self._recovered()
        return self.verdict

    def _remark(self, text: str) -> None:
        self.verdict.remarks[text] += 1

    def _disagree(self, text: str) -> None:
        self.verdict.disagreements.append(text)

    def _claimed(self) -> None:
        for key in sorted(self.witness.by_key.keys() - self.holds.keys()):
            self._disagree(
                f"{key[0]} was called for by {key[1]} under a claim that the record does not have."
            )

    def _finished(self) -> None:
        record, books = self.history.at("done"), self.witness.finished()
        for run_id in sorted(record - books):
            self._disagree(f"{run_id} is done, and the books know nothing of its last step.")
        for run_id in sorted(books - record):
            self._disagree(f"{run_id} is not done, and the books have its last step.")

    def _in_doubt(self) -> None:
        record, books = self.history.at("in_doubt"), self.witness.unanswered()
        for run_id in sorted(books - record - self.history.at("done")):
            self._disagree(f"{run_id} called for a charge that nobody answered, and is not in doubt.")
        for run_id in sorted(record - books):
            hold = self.history.holds[run_id][-1]
            late = self._since_last_fact(hold)
            if late <= BETWEEN_CALLS_SECONDS:
                self._remark("in doubt although the call had not left yet when the worker died")
            else:
                self._disagree(f"{run_id} is in doubt, and for {late:.1f} s its worker had called nobody.")

    def _cut(self) -> None:
        books = self.witness.cut()
        for key in sorted(books):
            hold = self.holds.get(key)
            if hold is None or hold.end not in (End.CUT, End.LOST, End.RETRY, End.DOUBT):
                self._disagree(f"{key[0]}: {key[1]} died inside a call, and the record says {_ended(hold)}.")
            elif hold.end is not End.CUT:
                self._remark("let go before its worker died, with a call still open at the vendor")
        for hold in self.history.ended(End.CUT):
            if hold.key not in books:
                self._cut_between_calls(hold)

    def _cut_between_calls(self, hold: Hold) -> None:
        late = self._since_last_fact(hold)
        if late <= BETWEEN_CALLS_SECONDS:
            self._remark("cut between two calls, which no vendor sees")
        else:
            self._disagree(
                f"{hold.run_id}: {hold.owner} was cut in {hold.inside}, {late:.1f} s after its last call."
            )

    def _since_last_fact(self, hold: Hold) -> float:
        """Seconds between the last that is known of a hold, by either witness, and its worker's death."""
        died = self.history.died.get(hold.owner)
        if died is None:
            return float("inf")
        visit = self.witness.by_key.get(hold.key)
        known = [hold.since, *(mark.at for mark in hold.marks)]
        return died - max(*known, visit.last_answer_at if visit else 0.0)

    def _handed_over(self) -> None:
        books = self.witness.handed_over()
        seen_as_other = {
            End.CUT: "cut between two calls, seen by the books as handed over",
            End.LOST: "lost between two calls, seen by the books as handed over",
            End.RETRY: "given back for a later attempt, seen by the books as handed over",
        }
        for key in sorted(books):
            hold = self.holds.get(key)
            end = hold.end if hold else None
            if end in seen_as_other:
                self._remark(seen_as_other[end])
            elif end is not End.HANDED_OVER:
                self._disagree(
                    f"{key[0]} went from {key[1]} to another worker, and the record says {_ended(hold)}."
                )
        for hold in self.history.ended(End.HANDED_OVER):
            if hold.key not in books:
                self._handed_over_unseen(hold)

    def _handed_over_unseen(self, hold: Hold) -> None:
        visits = self.witness.visits.get(hold.run_id, [])
        if hold.key not in {visit.key for visit in visits}:
            self._remark("handed over before a call was made")
        elif visits[-1].key == hold.key:
            self._remark("handed over, and no vendor was called after that")
        else:
            self._disagree(f"{hold.run_id} was handed over by {hold.owner}, and the books say otherwise.")

    def _repeated(self) -> None:
        record = {(repeat.hold.key, repeat.step): repeat for repeat in self.history.repeats()}
        books = self.witness.repeats()
        for key, step in sorted(books - set(record)):
            self._disagree(f"{key[0]}: the books have {step} again, and the record does not.")
        for (key, step), repeat in record.items():
            if step not in EFFECTS:
                self._remark("repeats of a step that calls nobody")
            elif (key, step) not in books:
                if self.witness.later_call_before(key[0], step, repeat.at) and key in self.witness.by_key:
                    self._disagree(f"{key[0]}: the record has {step} again, and the books do not.")
                else:
                    self._remark("repeats of a step after which no vendor had been called yet")

    def _bought_again(self) -> None:
        marks: dict[Effect, list[tuple[Decimal, str]]] = defaultdict(list)
        for hold, mark in self.history.bought_again():
            price = self.history.price(hold.run_id, mark) or (Decimal(0), FREE)
            marks[hold.run_id, mark.step, mark.item].append(price)
        calls: dict[Effect, list[tuple[Decimal, str]]] = defaultdict(list)
        for call in self.witness.books.repeats(by_generation=True):
            calls[call.effect].append((call.amount, call.currency or FREE))
        received = Counter(call.effect for call in self.witness.books.calls if call.action != "look_up")
        for effect in sorted(marks.keys() | calls.keys(), key=str):
            self._compare_purchases(effect, marks[effect], calls[effect], received[effect])

    def _compare_purchases(
        self,
        effect: Effect,
        marks: list[tuple[Decimal, str]],
        calls: list[tuple[Decimal, str]],
        received: int,
    ) -> None:
        run_id, step, item = effect
        what = f"{run_id}: {VENDOR.get(step, step)} for {step}{f' {item}' if item else ''}"
        if len(calls) > len(marks):
            self._disagree(
                f"{what} was bought {len(calls)} times more, and the record knows of {len(marks)}."
            )
        elif len(calls) < len(marks):
            # The books have every call that came; one that died on its way there was not bought.
            if received > len(calls) + 1:
                self._disagree(f"{what} was called {received} times and applied {len(calls) + 1} times.")
            for _ in range(len(marks) - len(calls)):
                self._remark("begun again after a call that had never left")
        elif sorted(marks) != sorted(calls):
            self._disagree(f"{what} costs {marks} by the record and {calls} by the books.")

    def _recovered(self) -> None:
        claims = {hold.key: after.since for hold, after, _ in self.history.followed(End.CUT)}
        for key, after, _ in self.witness.recoveries():
            # Clocks of one machine: a call cannot reach a vendor before its run was claimed.
            if key in claims and after.first_at < claims[key]:
                self._disagree(
                    f"{key[0]} was called for {claims[key] - after.first_at:.3f} s before it was claimed."
                )


def _ended(hold: Hold | None) -> str:
    return "nothing of that worker" if hold is None else f"its hold ended as {hold.end.value}"
