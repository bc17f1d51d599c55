"""A page that publishes while the broker is down, or hangs, answers within two seconds."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator

import pytest
from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

LONGEST_SECONDS = 2.0

Publish = Callable[[str], float]


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.fixture
def publish(monkeypatch: pytest.MonkeyPatch) -> Publish:
    """Publish to a broker that cannot answer, and return after how many seconds that was given up.

    The address goes by the environment, which Celery lets go before any setting; the app is not to become the
    one that every other test publishes with.
    """

    def one(url: str) -> float:
        monkeypatch.setenv("CELERY_BROKER_URL", url)
        app = Celery("test", set_as_current=False)
        app.config_from_object(settings, namespace="CELERY")
        began = time.monotonic()
        with pytest.raises(OperationalError):
            app.send_task("runs.drive", ("run_1",))
        took = time.monotonic() - began
        app.close()
        return took

    return one


def test_a_broker_that_is_down_is_given_up_at_once(publish: Publish) -> None:
    assert publish("redis://127.0.0.1:1/0") < LONGEST_SECONDS


def test_a_broker_that_hangs_is_given_up_in_time(silent: int, publish: Publish) -> None:
    assert publish(f"redis://127.0.0.1:{silent}/0") < LONGEST_SECONDS


def test_a_rabbit_that_hangs_is_given_up_in_time(silent: int, publish: Publish) -> None:
    assert publish(f"amqp://127.0.0.1:{silent}//") < LONGEST_SECONDS
