"""What a form brings back of the run that it showed, so that a verb can compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from runs import db
from runs.acting.shown import Shown


@dataclass(frozen=True)
class Ticket:
    """`place` is the hash of the position, `log_id` the newest row of the log when it was shown at `at`."""

    run_id: str
    epoch: int
    place: str
    step: str
    status: str
    at: datetime
    log_id: int

    @property
    def fields(self) -> dict[str, str]:
        """The hidden fields of a form."""
        return {
            "run": self.run_id,
            "epoch": str(self.epoch),
            "place": self.place,
            "step_shown": self.step,
            "status_shown": self.status,
            "at": self.at.isoformat(),
            "log": str(self.log_id),
        }

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Ticket | None:
        """None for fields that no form of ours ever had."""
        epoch, log, at = (
            _number(given.get("epoch", "")),
            _number(given.get("log", "")),
            _moment(given.get("at", "")),
        )
        run_id = given.get("run", "")
        if (
            epoch is None
            or log is None
            or at is None
            or not 0 < len(run_id) <= 200
            or "\0" in "".join(given.values())
        ):
            return None
        step, status = given.get("step_shown", "")[:200], given.get("status_shown", "")[:200]
        return cls(run_id, epoch, given.get("place", ""), step, status, at, log)

    def shown(self) -> Shown:
        """The run as the verbs compare it. Where it has moved since, a cursor that stands for what was shown and
        that no row has, so that the verb is refused."""
        found = db.within("ticket", run_id=self.run_id)
        if found and found[0]["place"] == self.place:
            return Shown(self.run_id, self.epoch, found[0]["cursor"], self.at)
        return Shown(
            self.run_id, self.epoch, {"step": self.step, "status": self.status, "shown": self.place}, self.at
        )


def ticket(run_id: str) -> Ticket | None:
    """Where the run stands now, for a form; None where there is no such run."""
    found = db.within("ticket", run_id=run_id)
    if not found:
        return None
    r = found[0]
    return Ticket(run_id, r["epoch"], r["place"], r["step"], r["status"], r["at"], r["log_id"])


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None
