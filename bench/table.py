"""The table: what was measured, beside what was aimed at."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Line:
    """One measurement. ``goal`` is ≥ where more is better, ≤ where less is; 0 where nothing is aimed at."""

    subject: str
    value: float
    unit: str
    goal: float
    more_is_better: bool
    detail: str

    @property
    def holds(self) -> bool | None:
        if not self.goal:
            return None
        return self.value >= self.goal if self.more_is_better else self.value <= self.goal

    def row(self) -> str:
        goal = f"{'≥' if self.more_is_better else '≤'} {_number(self.goal)}{self.unit}" if self.goal else ""
        verdict = {True: "holds", False: "does not hold", None: ""}[self.holds]
        return f"| {self.subject} | {_number(self.value)}{self.unit} | {goal} | {verdict} | {self.detail} |"


def _number(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 2 else f"{value:.1f}" if abs(value) < 100 else f"{value:.0f}"


HEAD = ["| what | measured | goal | | detail |", "| --- | --- | --- | --- | --- |"]


def save(
    lines: list[Line], machine: dict[str, str], name: str = "latest", title: str = "What Leaseboard costs"
) -> None:
    """Keep the run beside the code, for people and for whoever draws it."""
    RESULTS.mkdir(exist_ok=True)
    about = [f"{name}: {value}" for name, value in machine.items()]
    text = [f"# {title}", "", "; ".join(about), "", *HEAD, *(line.row() for line in lines), ""]
    (RESULTS / f"{name}.md").write_text("\n".join(text))
    told = [{**asdict(line), "holds": line.holds} for line in lines]
    body = json.dumps({"machine": machine, "lines": told}, indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(body + "\n")
