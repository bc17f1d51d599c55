"""A page that publishes while the broker is down, or hangs, answers within two seconds."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest
from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

LONGEST_SECONDS = 2.0


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def publish(url: str) -> float:
    app = Celery("test", broker=url)
    app.config_from_object(settings, namespace="CELERY")
    app.conf.broker_url = url
    began = time.monotonic()
    with pytest.raises(OperationalError):
        app.send_task("runs.drive", ("run_1",))
    app.close()
    return time.monotonic() - began


def test_a_broker_that_is_down_is_given_up_at_once() -> None:
    assert publish("redis://127.0.0.1:1/0") < LONGEST_SECONDS


def test_a_broker_that_hangs_is_given_up_in_time(silent: int) -> None:
    assert publish(f"redis://127.0.0.1:{silent}/0") < LONGEST_SECONDS


def test_a_rabbit_that_hangs_is_given_up_in_time(silent: int) -> None:
    assert publish(f"amqp://127.0.0.1:{silent}//") < LONGEST_SECONDS
