"""The cast of those who act: Ada is in support, Olga in ops, Mara a manager, Cy has no role. And their forms."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.dashboard import scene


@pytest.fixture
def ada(db: None) -> Client:
    return signed_in("ada", "support")


@pytest.fixture
def olga(db: None) -> Client:
    return signed_in("olga", "ops")


@pytest.fixture
def mara(db: None) -> Client:
    return signed_in("mara", "manager")


@pytest.fixture
def cy(db: None) -> Client:
    return signed_in("cy", None)


@pytest.fixture(autouse=True)
def published(db: None) -> None:
    scene.publish()
    scene.worker()


def signed_in(name: str, role: str | None) -> Client:
    client = Client()
    client.force_login(scene.person(name, role))
    return client
