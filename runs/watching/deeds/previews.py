"""What a verb would do to a run that stands like this: now, after, and what stays untouched, in sentences."""

from __future__ import annotations

from collections.abc import Callable

from runs.states import Guard
from runs.watching.deeds import marks
from runs.watching.deeds.parts import Preview, clock, here, in_flight, now_of, owner_of, real_calls
from runs.watching.history.calls import Call
from runs.watching.run import RunPage
from runs.watching.turns import IF_IT_DIED


def preview(deed: str, page: RunPage, step: str = "") -> Preview:
    """`step` is the first name that a rewind goes back to."""
    return _rewound(page, step) if deed == "rewind" else _PREVIEWS[deed](page)


def bought_again(page: RunPage, step: str) -> list[Call]:
    """The calls known or thought to have happened at a step and those after it: a rewind makes them again."""
    first = page.line.plan.place(step) or 0
    return [c for c in real_calls(page) if (page.line.plan.place(c.step.name) or 0) >= first]


def dropped(page: RunPage, step: str) -> list[str]:
    """First names of a step and of all after it."""
    return [each.name for each in page.line.plan.steps[page.line.plan.place(step) or 0 :]]


def _taken_over(page: RunPage) -> Preview:
    line, owner, call = page.line, owner_of(page), in_flight(page)
    good = line.lease == "good"
    unknown = call is not None and line.row["guard"] in (Guard.UNPROTECTED, None, "")
    if unknown:
        after = [
            f"In doubt: {here(page)} may have happened. A case opens and {line.step.decides or 'a person'} decides."
        ]
    else:
        after = ["Nobody holds it; the next free worker claims it."]
        if call is not None:
            after.append(f"The call under way is {IF_IT_DIED.get(line.row['guard'] or '', 'begun again')}.")
    after += [f"Epoch {line.epoch} → {line.epoch + 1}: whatever {owner} still writes is refused."]
    kept = [
        "Every recorded step stays, with its result.",
        f"{owner} itself is not stopped, nor its other runs.",
    ]
    grave = (
        f"{owner} is alive and at work: its lease is good until {clock(line.row['lease_expires_at'])}."
        if good
        else ""
    )
    return Preview(now_of(page), after, kept, grave, call if good else None)


def _retried(page: RunPage) -> Preview:
    kept = [
        "Earlier steps stay recorded and are not done again.",
        *(
            ["Its idempotency key stays: its vendor acts once."]
            if page.line.step.guard == Guard.KEYED
            else []
        ),
    ]
    after = [
        f"{here(page)} is tried again, from the first attempt.",
        f"Epoch {page.line.epoch + 1}, for nobody yet.",
    ]
    trouble = [page.trouble] if page.trouble else []
    return Preview(now_of(page) + trouble, after, kept)


def _seen(page: RunPage) -> Preview:
    after = ["It leaves “Needs attention” for everybody.", "If it fails again, it comes back there."]
    return Preview(
        [f"Failed, at {here(page)}.", "Its failure is unseen."], after, ["The run itself stays as it is."]
    )


def _nudged(page: RunPage) -> Preview:
    wake = page.line.row["wake_at"]
    ahead = page.line.row["wake"] == "ahead" and wake
    now = now_of(page) + ([f"Its next look is due at {clock(wake)}."] if ahead else [])
    after = ["It is due now, and offered to the workers at once."]
    if page.line.row["guard"] == Guard.PROBED:
        after.append("The vendor's answer is still waited for: it cannot be hurried.")
    return Preview(now, after, ["Epoch, step and results stay as they are.", "No attempt is counted."])


def _rewound(page: RunPage, step: str) -> Preview:
    title = f"“{page.line.plan.step(step).title}”"
    later = dropped(page, step)
    after = [
        f"It stands before {title}, as if it had just come there.",
        f"Epoch {page.line.epoch + 1}, for nobody yet.",
    ]
    kept = [
        "Steps before that one stay recorded.",
        f"The results of {len(later)} step{'s' if len(later) > 1 else ''} leave the run; a copy of each is kept.",
        "What was told to it and not used is dropped, and asked again.",
    ]
    calls = bought_again(page, step)
    means = "These calls are made and paid again" if calls else ""
    return Preview(
        now_of(page),
        after,
        kept,
        "New keys: no vendor can tell these calls from first ones.",
        None,
        means,
        calls,
    )


_PREVIEWS: dict[str, Callable[[RunPage], Preview]] = {
    "take_over": _taken_over,
    "hold": marks.held,
    "lift": marks.lifted,
    "cancel": marks.cancelled,
    "flag": marks.flagged,
    "retry_failed": _retried,
    "mark_seen": _seen,
    "nudge": _nudged,
}
