"""Every combination of status, lease, time and age has exactly one word, and rows and counters agree on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runs.states import Status
from runs.watching import filters
from runs.words import (
    CANCELLED,
    DONE,
    FAILED,
    FAILED_SEEN,
    IN_DOUBT,
    LOST,
    MOVING,
    NEEDS_A_PERSON,
    ON_HOLD,
    OTHER,
    QUEUED,
    RETRYING,
    SLOW,
    WAITING,
    WORDS,
    Facts,
    Group,
    Lease,
    Wake,
    Word,
    word_for,
)

# status, lease, wake, tried, slow, late; None stands for whatever it may be. A failure goes by whether it was seen.
Flag = bool | None
TABLE: list[tuple[str, Lease | None, Wake | None, Flag, Flag, Flag, Word]] = [
    ("in_doubt", None, None, None, None, None, IN_DOUBT),
    ("held", None, None, None, None, None, ON_HOLD),
    ("blocked", None, None, None, None, None, NEEDS_A_PERSON),
    ("done", None, None, None, None, None, DONE),
    ("cancelled", None, None, None, None, None, CANCELLED),
    ("waiting", None, Wake.NONE, None, None, None, WAITING),
    ("waiting", None, Wake.AHEAD, None, None, None, WAITING),
    ("waiting", None, Wake.PAST, None, None, None, QUEUED),
    ("pending", Lease.LAPSED, None, None, None, None, LOST),
    ("started", Lease.LAPSED, None, None, None, None, LOST),
    ("pending", Lease.GOOD, None, None, False, False, MOVING),
    ("started", Lease.GOOD, None, None, False, False, MOVING),
    ("pending", Lease.GOOD, None, None, True, None, SLOW),
    ("started", Lease.GOOD, None, None, True, None, SLOW),
    ("pending", Lease.GOOD, None, None, False, True, SLOW),
    ("started", Lease.GOOD, None, None, False, True, SLOW),
    ("pending", Lease.NONE, Wake.AHEAD, True, None, None, RETRYING),
    ("pending", Lease.NONE, Wake.AHEAD, False, None, None, WAITING),
    ("pending", Lease.NONE, Wake.PAST, None, None, None, QUEUED),
    ("pending", Lease.NONE, Wake.NONE, None, None, None, QUEUED),
    ("started", Lease.NONE, Wake.AHEAD, None, None, None, RETRYING),
    ("started", Lease.NONE, Wake.PAST, None, None, None, QUEUED),
    ("started", Lease.NONE, Wake.NONE, None, None, None, LOST),
]


def matches(facts: Facts) -> list[Word]:
    if facts.status == "failed":
        return [FAILED_SEEN if facts.seen else FAILED]
    have = (facts.status, facts.lease, facts.wake, facts.tried, facts.slow, facts.late)
    return [
        row[-1] for row in TABLE if all(want in (None, got) for want, got in zip(row[:-1], have, strict=True))
    ]


def test_one_word_for_every_combination() -> None:
    other = {facts: found for facts in filters.every_fact() if (found := matches(facts)) != [word_for(facts)]}
    assert other == {}
    assert len(filters.every_fact()) == len(Status) * len(Lease) * len(Wake) * 2**4


@pytest.mark.parametrize("status", ["paused_by_v3", "", "ENQUEUED", "Done"])
def test_an_unknown_status_is_other_and_neutral(status: str) -> None:
    word = word_for(Facts(status, Lease.GOOD))
    assert word == OTHER
    assert word.tone == "grey"


def test_the_states_of_the_filter_part_the_rows() -> None:
    groups = [group for group in Group if group != Group.OTHER]
    for facts in filters.every_fact():
        assert sum(filters.holds(word.key, facts) for word in WORDS) == 1
        on_time = replace(facts, late=False)
        assert sum(filters.holds(group, on_time) for group in groups) == 1


def test_every_status_of_the_record_has_a_word_of_its_own() -> None:
    assert OTHER not in {word_for(Facts(str(status))) for status in Status}


def test_every_icon_is_drawn() -> None:
    from pathlib import Path

    from runs.watching.signs import SIGNS

    sprite = (Path(__file__).parents[2] / "templates/frame/_sprite.svg").read_text()
    icons = {word.icon for word in WORDS} | {icon for _, icon, _ in SIGNS.values()}
    assert not {icon for icon in icons if f'id="i-{icon}"' not in sprite}
