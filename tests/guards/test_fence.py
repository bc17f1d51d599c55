"""Each part of the fence taken out of each statement of an owner: the proof has to fail then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.runs import test_fences as fences
from tests.support.mutations import Statement, fails

EPOCH = r"(r\.)?epoch = (%\(epoch\)s|mine\.epoch|ANY \(%\(epochs\)s::bigint\[\]\))"
OWNER = r"(r\.)?lease_owner = %\(owner\)s(?=\s+AND)"
CURSOR = r"r\.cursor = %\(expected\)s::jsonb"

FENCES: list[tuple[str, str, str, Callable[[str], None]]] = [
    (name, clause, pattern, proof)
    for clause, pattern, proof in (
        ("epoch", EPOCH, fences.test_an_owner_that_claimed_the_run_again_moves_nothing_by_its_earlier_epoch),
        (
            "owner",
            OWNER,
            fences.test_an_owner_that_gave_the_run_back_moves_nothing_by_the_epoch_that_still_stands,
        ),
        ("cursor", CURSOR, fences.test_an_owner_whose_cursor_another_write_moved_writes_nothing),
    )
    for name in sorted(fences.OWNERS)
    if not (clause == "cursor" and name in ("heartbeat", "heartbeat_alone", "commit_plain"))
]


@pytest.mark.parametrize(
    ("name", "clause", "pattern", "proof"), FENCES, ids=[f"{name}-{clause}" for name, clause, *_ in FENCES]
)
def test_no_statement_of_an_owner_is_safe_without_each_part_of_its_fence(
    name: str, clause: str, pattern: str, proof: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Statement(name, pattern).applied(monkeypatch), fails():
        proof(name)
