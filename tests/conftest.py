"""What every test stands on: a real PostgreSQL, a real broker, and a browser where there is one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from urllib.parse import urlsplit

import dj_database_url
import pytest
from django.conf import settings

from dashboard import celery_app
from dashboard.embedded import place
from tests.house import servers
from tests.house.browser import browser, chromium

__all__ = ["browser", "chromium"]

DATA = place.data_directory() / "tests"


def pytest_configure() -> None:
    """The demo may have collected static files, of another day perhaps: tests serve what lies in static/."""
    settings.STATIC_ROOT = DATA / "static"
    settings.WHITENOISE_USE_FINDERS = True


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last, after the shuffle: from the first on, Playwright keeps an event loop in this thread, in
    which Django's test client could call no asynchronous view.
    """
    items.sort(key=lambda item: "browser" in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def embedded() -> Iterator[servers.Addresses]:
    """The servers of this session. Without them no test says anything: the session ends with a sentence."""
    try:
        with servers.for_tests(DATA) as addresses:
            yield addresses
    except servers.NoServer as reason:
        pytest.exit(str(reason), returncode=3)


@pytest.fixture(scope="session")
def database_url(embedded: servers.Addresses) -> str:
    """The test database, for the processes that a test starts; also in their environment as DATABASE_URL."""
    name = f"test_leaseboard_{os.getpid()}"
    return urlsplit(embedded.database)._replace(path=f"/{name}").geturl()


@pytest.fixture(scope="session")
def broker_url(embedded: servers.Addresses) -> str:
    """The broker of this session, with a numbered database of its own where it is the embedded one."""
    settings.CELERY_BROKER_URL = celery_app.conf.broker_url = embedded.broker
    return embedded.broker


@pytest.fixture(scope="session")
def django_db_modify_db_settings(embedded: servers.Addresses, database_url: str, broker_url: str) -> None:
    """A database for this session alone, which the processes that a test starts find by environment."""
    default = settings.DATABASES["default"]
    address = dj_database_url.parse(embedded.database)
    default.update({part: address[part] for part in ("NAME", "USER", "PASSWORD", "HOST", "PORT")})
    default["OPTIONS"].update(address.get("OPTIONS", {}))
    default.setdefault("TEST", {})["NAME"] = urlsplit(database_url).path.removeprefix("/")
    os.environ.update(
        DATABASE_URL=database_url,
        CELERY_BROKER_URL=broker_url,
        LEASEBOARD_DATA=str(DATA),
        SECRET_KEY=settings.SECRET_KEY,
    )


@pytest.fixture(autouse=True)
def _flushable(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give database tests their roles, and let a transactional one be flushed.

    The flush empties every table: also the log, whose trigger refuses that, and the groups that a migration
    made. Partitions that the test added have a trigger of their own, so this waits for the test's end.
    """
    kind = _database_kind(request)
    if kind is None:
        yield
        return
    request.getfixturevalue(kind)
    servers.have_roles()
    yield
    if kind == "transactional_db":
        servers.allow_truncate()


def _database_kind(request: pytest.FixtureRequest) -> str | None:
    marker = request.node.get_closest_marker("django_db")
    wanted = set(request.fixturenames)
    if wanted & {"transactional_db", "live_server"} or (marker and marker.kwargs.get("transaction")):
        return "transactional_db"
    return "db" if marker or "db" in wanted else None
