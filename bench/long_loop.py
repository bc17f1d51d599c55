"""A step over 50,000 items of a millisecond each: what its checkpoints cost beside its work."""

from __future__ import annotations

from dataclasses import dataclass

from bench import many_items
from runs import db, engine
from runs.worker.drive import drive
from runs.worker.process import new_process, register

ITEMS = 50_000


@dataclass(frozen=True)
class Loop:
    """Seconds of the whole step, of its items' own work in it, and how many checkpoints it made."""

    seconds: float
    worked: float
    checkpoints: int


def measure() -> Loop:
    """The step's seconds and its work's are taken in the same run, so that the machine's moods cancel."""
    process = new_process(1)
    register(process)
    run_input = {"items": ITEMS, "blocks": many_items.blocks_of_an_item()}
    engine.start(many_items.NAME, "long-loop", run_input)
    drive(process, "long-loop")
    asked = (
        "SELECT completed->'loop' AS told, items.* FROM run_state, "
        "(SELECT count(DISTINCT xmin::text) AS made, count(*) AS kept FROM run_item WHERE run_id = 'long-loop') AS items "
        "WHERE run_id = 'long-loop'"
    )
    with db.connect() as conn:
        found = conn.execute(asked).fetchall()[0]
    if found["kept"] != ITEMS:
        raise RuntimeError(f"{found['kept']} of {ITEMS} items are in the record.")
    return Loop(found["told"]["seconds"], found["told"]["worked"], found["made"])
