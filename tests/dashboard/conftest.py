"""The cast: Ada is in support, Ben is a manager, Cy has an account and no role."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.dashboard import scene


@pytest.fixture
def ada(db: None) -> Client:
    client = Client()
    client.force_login(scene.person("ada", "support"))
    return client


@pytest.fixture
def cy(db: None) -> Client:
    client = Client()
    client.force_login(scene.person("cy", None))
    return client
