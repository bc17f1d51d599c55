"""Hold, lift, cancel, flag: on a good lease they leave a mark, which the next boundary honours."""

from __future__ import annotations

from runs.states import Status
from runs.watching.deeds.parts import (
    Preview,
    at_boundary,
    here,
    in_flight,
    is_marked,
    now_of,
    onward,
    real_calls,
)
from runs.watching.run import RunPage


def held(page: RunPage) -> Preview:
    kept = ["Nothing that is recorded changes.", "Lift lets it go on from where it stands."]
    if is_marked(page):
        after = [
            f"On hold {at_boundary(page)}.",
            "Until then the hold can be withdrawn.",
        ]
        return Preview(now_of(page), after, ["What is under way is finished, not cut.", *kept])
    return Preview(
        now_of(page), [f"On hold before {here(page)}, at once.", f"Epoch {page.line.epoch + 1}."], kept
    )


def lifted(page: RunPage) -> Preview:
    kept = ["Nothing that is recorded changes.", "It goes on from where it stands."]
    if page.line.row["status"] == Status.HELD:
        return Preview(now_of(page), onward(page), kept)
    return Preview(
        [*now_of(page), "A hold is asked for."], ["The hold is withdrawn; its worker goes straight on."], kept
    )


def cancelled(page: RunPage) -> Preview:
    kept = ["What was done at vendors is not undone.", "Its log, results and calls stay readable."]
    if is_marked(page):
        after = [f"Cancelled {at_boundary(page)}.", "No step after that begins."]
    else:
        after = ["Cancelled at once.", "No further step begins."]
    means = "This has been paid and is not undone" if real_calls(page) else ""
    grave = "A cancelled order does not come back."
    return Preview(now_of(page), after, kept, grave, in_flight(page), means, real_calls(page))


def flagged(page: RunPage) -> Preview:
    decides = page.line.step.decides or "a person"
    opens = f"A case opens on {here(page)}; {decides} decides."
    if page.line.lease == "good":
        after = [opens, f"In doubt {at_boundary(page)}."]
    else:
        after = [opens, "In doubt at once: no worker takes it until the case is resolved."]
    return Preview(
        now_of(page), after, ["Nothing that is recorded changes.", "No call is made or taken back."]
    )
