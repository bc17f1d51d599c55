"""Saved views and followed orders: one's own, or a role's; the link of a view leads to its list."""

from __future__ import annotations

import pytest
from django.test import Client

from dashboard.following import MOST
from dashboard.models import Follow, SavedView
from tests.dashboard import scene


@pytest.fixture
def orders(ada: Client) -> Client:
    scene.publish(within_seconds=300)
    scene.order("a", ref="PO-1", status="in_doubt", step="charge_card")
    scene.order("b", ref="PO-2", status="started", lease=20)
    return ada


def signed_in(name: str, role: str) -> Client:
    client = Client()
    client.force_login(scene.person(name, role))
    return client


def keep(
    client: Client, name: str = "Charges", role: str = "", query: str = "f=step%3Acharge&state=open"
) -> str:
    answer = client.post("/orders/views/keep/", {"name": name, "role": role, "query": query})
    return str(answer["Location"])


def test_a_view_is_kept_and_its_link_leads_to_its_list(orders: Client) -> None:
    kept = keep(orders)
    view = SavedView.objects.get()
    assert kept == f"/orders/?state=open&f=step%3Acharge&view={view.pk}"
    link = orders.get("/orders/view/", {"view": view.pk})
    assert link["Location"] == kept
    page = orders.get(kept)
    assert [line.run_id for line in page.context["lines"]] == ["a"]
    assert page.context["saved"].here == view


def test_the_same_name_again_changes_the_view(orders: Client) -> None:
    keep(orders)
    keep(orders, query="state=done")
    assert [(view.name, view.query) for view in SavedView.objects.all()] == [("Charges", "state=done")]


def test_nothing_but_a_lists_own_words_is_kept(orders: Client) -> None:
    keep(orders, query="state=nonsense&f=step:charge&next=//evil.example&after=x")
    assert SavedView.objects.get().query == "f=step%3Acharge"


def test_a_view_is_shared_with_a_role_and_with_nobody_else(orders: Client) -> None:
    bo, eve = signed_in("bo", "support"), signed_in("eve", "manager")
    keep(orders, role="support")
    keep(orders, name="Mine alone")
    shared, own = SavedView.objects.order_by("name")
    assert shared.name == "Charges"
    assert bo.get("/orders/view/", {"view": shared.pk}).status_code == 302
    assert "Charges" in bo.get("/orders/").content.decode()
    for client, view in ((bo, own), (eve, own), (eve, shared)):
        assert client.get("/orders/view/", {"view": view.pk}).status_code == 404
        assert client.get("/orders/view/", {"view": 10**9}).status_code == 404
        assert view.name not in client.get("/orders/").content.decode()


def test_only_its_owner_changes_or_deletes_a_view(orders: Client) -> None:
    bo = signed_in("bo", "support")
    keep(orders, role="support")
    view = SavedView.objects.get()
    for path in ("change", "delete"):
        assert bo.post(f"/orders/views/{path}/", {"view": view.pk, "name": "x"}).status_code == 404
    orders.post("/orders/views/change/", {"view": view.pk, "name": "Renamed", "role": ""})
    view.refresh_from_db()
    assert (view.name, view.role) == ("Renamed", "")
    orders.post("/orders/views/delete/", {"view": view.pk})
    assert not SavedView.objects.exists()


def test_a_name_that_is_taken_or_missing_is_told(orders: Client) -> None:
    keep(orders)
    keep(orders, name="Other")
    other = SavedView.objects.get(name="Other")
    page = orders.post("/orders/views/change/", {"view": other.pk, "name": "Charges"}, follow=True)
    assert "you have a view “Charges” already" in page.content.decode()
    page = orders.post("/orders/views/keep/", {"name": " ", "query": ""}, follow=True)
    assert "Not saved" in page.content.decode()


def test_who_may_not_share_keeps_views_for_themselves(orders: Client) -> None:
    from django.contrib.auth.models import Permission

    from dashboard.roles import ROLES

    assert "share_views" in ROLES["support"]
    permission = Permission.objects.get(codename="share_views")
    for group in permission.group_set.all():
        group.permissions.remove(permission)
    keep(orders, role="support")
    assert not SavedView.objects.exists()
    keep(orders)
    assert SavedView.objects.get().role == ""


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 40, "٣"])
def test_a_number_that_no_view_has_is_not_found(orders: Client, number: str) -> None:
    assert orders.get("/orders/view/", {"view": number}).status_code == 404


def test_following_makes_a_list_of_ones_own(orders: Client) -> None:
    assert "You follow no order yet" in orders.get("/orders/", {"mine": "1"}).content.decode()
    answer = orders.post("/orders/follow/", {"run": ["b|7", "b|7"], "next": "/orders/?state=open"})
    assert answer["Location"] == "/orders/?state=open"
    page = orders.get("/orders/", {"mine": "1"})
    assert [line.run_id for line in page.context["lines"]] == ["b"]
    assert "One order that you follow" in page.content.decode()
    assert "Mine · 1" in page.content.decode()
    orders.post("/orders/follow/", {"run_id": "b", "follow": "no"})
    assert not Follow.objects.exists()


def test_a_run_is_followed_from_its_own_page(orders: Client) -> None:
    assert "Follow this order" in orders.get("/run/?run=b").content.decode()
    answer = orders.post("/orders/follow/", {"run_id": "b", "follow": "yes", "next": "/run/?run=b"})
    assert answer["Location"] == "/run/?run=b"
    assert "Follow no longer" in orders.get("/run/?run=b").content.decode()


def test_times_to_look_again_stand_above_the_list_the_next_first(orders: Client) -> None:
    from django.utils import timezone

    orders.post("/orders/follow/", {"run_id": ["a", "b", "gone"]})
    for run_id, minutes in (("a", 20), ("b", -5)):
        Follow.objects.filter(run_id=run_id).update(
            follow_up_at=timezone.now() + timezone.timedelta(minutes=minutes)
        )
    page = orders.get("/orders/", {"mine": "1"})
    assert [line.run_id for line, _ in page.context["follow_ups"]] == ["b", "a"]
    assert "look again" in page.content.decode()


def test_what_one_follows_is_no_business_of_others(orders: Client) -> None:
    orders.post("/orders/follow/", {"run_id": "a"})
    bo = signed_in("bo", "support")
    assert bo.get("/orders/", {"mine": "1"}).context["lines"] == []
    bo.post("/orders/follow/", {"run_id": "a", "follow": "no"})
    assert Follow.objects.count() == 1


def test_a_list_of_ones_own_has_an_end_and_says_so(orders: Client) -> None:
    orders.post("/orders/follow/", {"run_id": [f"run-{n}" for n in range(MOST + 3)]})
    assert Follow.objects.count() == MOST
    page = orders.post("/orders/follow/", {"run_id": "one-more"}, follow=True)
    assert f"you follow {MOST} orders, which is the most" in page.content.decode()


@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example", ""])
def test_following_sends_nobody_elsewhere(orders: Client, to: str) -> None:
    assert orders.post("/orders/follow/", {"run_id": "a", "next": to})["Location"] == "/orders/"
