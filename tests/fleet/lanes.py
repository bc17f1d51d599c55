"""Scenes are played beside each other, each once, in threads; tests then look at what was seen.

Most of a scene is waiting for leases to lapse. Played one after another they would take minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from tests.fleet.stage import Stage

T = TypeVar("T")
LANES = 4


@dataclass(frozen=True)
class Scene:
    """What is played, and about how many seconds it takes: the longest begin first."""

    play: Callable[[Stage], Any]
    seconds: float


scenes: dict[str, Scene] = {}


def scene(seconds: float) -> Callable[[Callable[[Stage], T]], T]:
    """Make a fixture of a function that plays on a stage: it gives what the function returned."""

    def declare(play: Callable[[Stage], T]) -> Any:
        name = play.__name__
        scenes[name] = Scene(play, seconds)

        @pytest.fixture(name=name, scope="session")
        def seen(lanes: Lanes) -> Any:
            return lanes.seen(name)

        return seen

    return declare


class Lanes:
    """Begins all wanted scenes at once, as many beside each other as the machine bears."""

    def __init__(self, wanted: Iterable[str], stage: Callable[[str], Any]) -> None:
        self._stage = stage
        self._pool = ThreadPoolExecutor(LANES, "scene")
        order = sorted(wanted, key=lambda name: -scenes[name].seconds)
        self._futures: dict[str, Future[Any]] = {name: self._pool.submit(self._play, name) for name in order}

    def seen(self, name: str) -> Any:
        return self._futures[name].result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _play(self, name: str) -> Any:
        with self._stage(name) as stage:
            try:
                return scenes[name].play(stage)
            except BaseException as error:
                error.add_note(stage.tails())
                raise


@contextmanager
def lanes_for(wanted: Iterable[str], stage: Callable[[str], Any]) -> Iterator[Lanes]:
    lanes = Lanes(wanted, stage)
    try:
        yield lanes
    finally:
        lanes.close()
