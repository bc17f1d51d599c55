"""Default deny: nothing answers a stranger but the sign-in, the probes and the files of the pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from dashboard.roles import ROLES, ensure_roles
from tests.dashboard import scene

OPEN = {"sign-in/", "sign-out/", "healthz", "readyz"}


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[str]:
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from routes(pattern, route)


CLOSED = sorted(set(routes()) - OPEN)


def test_the_open_urls_are_the_ones_listed() -> None:
    assert set(routes()) >= OPEN
    assert len(CLOSED) >= 8


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("route", CLOSED)
def test_a_stranger_is_turned_away(client: Client, route: str, method: str) -> None:
    answer = getattr(client, method)("/" + route, {"run": "any"})
    if answer.status_code == 302:
        assert answer["Location"].startswith("/sign-in/")
    else:
        assert answer.status_code in (401, 405)


@pytest.mark.parametrize("route", [route for route in CLOSED if "live" not in route])
def test_an_account_without_a_role_is_turned_away(cy: Client, route: str) -> None:
    answer = cy.get("/" + route, {"run": "any"})
    assert answer.status_code in (403, 405)


@pytest.mark.parametrize("route", [route for route in CLOSED if "live" in route])
def test_a_stream_turns_an_account_without_a_role_away(
    transactional_db: None, cy: Client, route: str
) -> None:
    # A stream judges on a connection of its own, which sees only what is committed.
    assert cy.get("/" + route, {"run": "any"}).status_code == 403


@pytest.mark.parametrize("role", ROLES)
def test_every_role_sees_orders(client: Client, db: None, role: str) -> None:
    client.force_login(scene.person("someone", role))
    assert client.get("/orders/").status_code == 200


def test_a_fragment_sends_a_stranger_to_the_sign_in(client: Client, db: None) -> None:
    answer = client.get("/orders/rows/", headers={"HX-Request": "true", "HX-Current-URL": "/orders/?q=a"})
    assert answer.status_code == 401
    assert answer["HX-Redirect"] == "/sign-in/?next=%2Forders%2F%3Fq%3Da"


def test_roles_come_back_when_a_flush_took_them(db: None) -> None:
    Group.objects.all().delete()
    ensure_roles()
    ensure_roles()
    assert set(Group.objects.values_list("name", flat=True)) == set(ROLES)


def test_signing_in_and_out(client: Client, db: None) -> None:
    scene.person("ada", "support")
    assert (
        "do not belong together"
        in client.post("/sign-in/", {"username": "ada", "password": "x"}).content.decode()
    )
    answer = client.post("/sign-in/", {"username": "ada", "password": "ada", "next": "/orders/?state=all"})
    assert answer["Location"] == "/orders/?state=all"
    assert client.get("/orders/").status_code == 200
    client.post("/sign-out/")
    assert client.get("/orders/").status_code == 302


def test_the_sign_in_sends_nobody_elsewhere(client: Client, db: None) -> None:
    scene.person("ada", "support")
    answer = client.post("/sign-in/", {"username": "ada", "password": "ada", "next": "https://evil.example/"})
    assert answer["Location"] == "/"


def test_preferences_are_kept_and_send_nobody_elsewhere(ada: Client) -> None:
    answer = ada.post("/preferences/", {"theme": "dark", "zone": "Europe/Vienna", "next": "//evil.example"})
    assert answer["Location"] == "/"
    page = ada.get("/orders/").content.decode()
    assert 'data-theme="dark" data-zone="Europe/Vienna"' in page
    ada.post("/preferences/", {"theme": "<b>", "zone": "Nowhere/Land"})
    assert ada.cookies["theme"].value == "dark"


def test_the_error_pages_are_of_the_house(ada: Client, cy: Client) -> None:
    ada.raise_request_exception = False
    for client, url, code in ((cy, "/orders/", 403), (ada, "/nowhere/", 404), (ada, "/run/?run=none", 404)):
        answer = client.get(url)
        assert answer.status_code == code
        assert "Leaseboard" in answer.content.decode()
