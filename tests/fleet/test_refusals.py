"""A worker that cannot work says why in one sentence and leaves with the status that tells which kind it is."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fleet.lanes import scene
from tests.fleet.stage import Stage

UNAVAILABLE, CONFIG = 69, 78
CASES = {
    "ttl": {"LEASEBOARD_TTL_SECONDS": "5", "LEASEBOARD_HEARTBEAT_SECONDS": "2"},
    "database": {"DATABASE_URL": "postgresql://postgres:hidden@127.0.0.1:1/leaseboard"},
    "module": {"LEASEBOARD_WORKFLOWS": "tests.fleet.nowhere"},
}


@dataclass(frozen=True)
class Refusal:
    status: int
    said: list[str]


@scene(seconds=6)
def refusals(stage: Stage) -> dict[str, Refusal]:
    """Each in an environment that is wrong in one thing; nobody of them may enter the fleet."""
    workers = {name: stage.worker(name, threads=2, **wrong) for name, wrong in CASES.items()}
    ended = {name: worker.ended(40) for name, worker in workers.items()}
    assert stage.ask("SELECT owner FROM run_worker") == []
    return {name: Refusal(ended[name], _sentences(worker.said())) for name, worker in workers.items()}


def _sentences(said: str) -> list[str]:
    """What a worker said, without Celery's warning to whoever runs it as root."""
    lines = [line for line in said.splitlines() if line.strip()]
    start = next((n for n, line in enumerate(lines) if "_warn_or_raise_security_error" in line), -1)
    return lines[start + 1 :]


def test_a_ttl_under_three_heartbeats_is_refused_with_both_numbers(refusals: dict[str, Refusal]) -> None:
    (sentence,) = refusals["ttl"].said
    assert refusals["ttl"].status == CONFIG
    assert "TTL is 5 s and the heartbeat 2 s" in sentence and "three heartbeats" in sentence


def test_a_database_that_does_not_answer_is_named_without_its_password(refusals: dict[str, Refusal]) -> None:
    (sentence,) = refusals["database"].said
    assert refusals["database"].status == UNAVAILABLE
    assert "DATABASE_URL" in sentence and "hidden" not in sentence


def test_a_workflow_module_that_cannot_be_imported_is_named(refusals: dict[str, Refusal]) -> None:
    (sentence,) = refusals["module"].said
    assert refusals["module"].status == CONFIG
    assert "LEASEBOARD_WORKFLOWS" in sentence and "tests.fleet.nowhere" in sentence
